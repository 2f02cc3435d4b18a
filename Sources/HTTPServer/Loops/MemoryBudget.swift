import Synchronization

/// Bounds the memory of unfinished requests, over all loops.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let used = Atomic(0)

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Takes `count` bytes if they are free.
    func takeIfFree(_ count: Int) -> Bool {
        guard count > 0 else { return true }
        guard used.wrappingAdd(count, ordering: .relaxed).newValue > limit else { return true }
        release(count)
        return false
    }

    /// Takes `count` bytes, even beyond the limit.
    func take(_ count: Int) {
        used.wrappingAdd(count, ordering: .relaxed)
    }

    func release(_ count: Int) {
        used.wrappingSubtract(count, ordering: .relaxed)
    }

    /// How many bytes are taken.
    var usedBytes: Int { used.load(ordering: .relaxed) }
}
