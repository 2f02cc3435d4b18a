internal import Synchronization

/// Counts the commits and writes of the writer.
final class WriteCounter: Sendable {
    private let commits = Atomic(0)
    private let writes = Atomic(0)

    var commitCount: Int { commits.load(ordering: .acquiring) }
    var writeCount: Int { writes.load(ordering: .acquiring) }

    /// Counts one commit that kept `count` writes.
    func add(writes count: Int) {
        writes.add(count, ordering: .releasing)
        commits.add(1, ordering: .releasing)
    }
}
