import Synchronization

/// Counts how often a connection waited for the server. All connections of a database share one counter.
final class RoundTripCounter: Sendable {
    private let counter = Atomic<Int>(0)

    /// The number of round trips so far.
    var value: Int { counter.load(ordering: .relaxed) }

    func count() { counter.add(1, ordering: .relaxed) }
}
