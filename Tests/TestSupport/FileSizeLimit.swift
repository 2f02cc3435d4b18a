public import Glibc

/// How large a file of this process may become: what a test of a full disk turns, in a process of its own.
public enum FileSizeLimit {
    /// Lets files grow to so many bytes, the hard limit at most; a write beyond it fails where `SIGXFSZ` is ignored.
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
