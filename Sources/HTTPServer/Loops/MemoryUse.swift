import Synchronization

/// Counts the memory of requests that are incomplete or wait for their handlers, over all loops.
final class MemoryUse: Sendable {
    private let used = Atomic(0)

    /// Adds `count` bytes.
    func add(_ count: Int) {
        used.wrappingAdd(count, ordering: .relaxed)
    }

    /// Removes `count` bytes.
    func remove(_ count: Int) {
        used.wrappingSubtract(count, ordering: .relaxed)
    }

    /// The number of bytes in use.
    var usedBytes: Int { used.load(ordering: .relaxed) }
}
