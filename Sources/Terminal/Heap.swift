import CProcess

/// How the C library keeps memory that the program gave back.
///
/// Source: `mallopt(3)`.
public enum Heap {
    /// Has a program that runs for long return what it frees: large pieces at once, and few heaps that each keep a rest.
    ///
    /// By itself glibc makes up to eight heaps a core, and once a large piece was freed keeps the next ones of its size in
    /// them. Call it before the first thread is started.
    public static func keepSmall() {
        _ = latch_keep_heap_small(2, 128 << 10)
    }
}
