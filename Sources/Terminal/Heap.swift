import CProcess

/// Configures how the C library keeps freed memory.
///
/// Source: `mallopt(3)`.
package enum Heap {
    /// Makes a long-running program return freed memory to the system: large allocations at once, and with few heaps
    /// (arenas) that each keep unused memory.
    ///
    /// By default glibc creates up to eight heaps per core. After a large allocation was freed, it serves later ones of
    /// that size from these heaps. Call this function before the first thread is started.
    ///
    /// - Parameter large: The size in bytes from which an allocation is returned to the system when it is freed. This
    ///   costs two system calls, and a page fault for each 4 KiB.
    package static func limitRetainedMemory(large: Int32 = 128 << 10) {
        _ = latch_keep_heap_small(2, large, 128 << 10)
    }
}
