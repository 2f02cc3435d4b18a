import CLibrary

/// The processor time of a thread. Other work on the machine does not affect it, unlike elapsed time.
///
/// Source: `clock_gettime(3)`, CLOCK_THREAD_CPUTIME_ID.
public enum ProcessorTime {
    /// Returns the processor time that `work` uses on the calling thread.
    public static func of(_ work: () throws -> Void) rethrows -> Duration {
        let start = now
        try work()
        return now - start
    }

    /// The processor time of the calling thread since its start.
    public static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
