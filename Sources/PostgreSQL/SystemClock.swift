import CLibrary

/// The system's clock of the time of day.
enum SystemClock {
    /// The microseconds since 1970.
    ///
    /// Source: `clock_gettime(2)`, `CLOCK_REALTIME`.
    static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
