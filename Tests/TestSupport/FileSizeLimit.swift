public import CLibrary

/// The limit for the size of files that this process writes. Tests that simulate a full disk set it in a separate
/// process.
public enum FileSizeLimit {
    /// Sets the limit in bytes, at most to the hard limit. Writes beyond it fail if `SIGXFSZ` is ignored.
    ///
    /// Source: setrlimit(2), `RLIMIT_FSIZE`.
    public static func set(to bytes: rlim_t) throws {
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { throw ChildProcess.Failure("No limit can be read.") }
        limit.rlim_cur = min(bytes, limit.rlim_max)
        guard setrlimit(resource, &limit) == 0 else { throw ChildProcess.Failure("No limit can be set.") }
    }
}
