import Synchronization

/// Limits the memory of incomplete requests over all loops.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let used = Atomic(0)

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Reserves `count` bytes if they are free. Returns whether they were.
    func reserveIfFree(_ count: Int) -> Bool {
        guard count > 0 else { return true }
        // Added before the comparison, so that two loops cannot both take the last free bytes.
        guard used.wrappingAdd(count, ordering: .relaxed).newValue > limit else { return true }
        release(count)
        return false
    }

    /// Reserves `count` bytes, even beyond the limit.
    func reserve(_ count: Int) {
        used.wrappingAdd(count, ordering: .relaxed)
    }

    func release(_ count: Int) {
        used.wrappingSubtract(count, ordering: .relaxed)
    }

    /// The number of reserved bytes.
    var usedBytes: Int { used.load(ordering: .relaxed) }
}
