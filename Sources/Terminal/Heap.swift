import CProcess

/// How the C library keeps memory that the program gave back.
///
/// Source: `mallopt(3)`.
public enum Heap {
    /// Has a program that runs for long return what it frees: large pieces at once, and few heaps that each keep a rest.
    ///
    /// By itself glibc makes up to eight heaps a core, and once a large piece was freed keeps the next ones of its size in
    /// them. Call it before the first thread is started.
    ///
    /// - Parameter large: The bytes from which a piece is returned to the system as soon as it is freed. It costs two system calls,
    ///   and a page fault for each 4 KiB.
    public static func keepSmall(large: Int32 = 128 << 10) {
        _ = latch_keep_heap_small(2, large, 128 << 10)
    }
}
