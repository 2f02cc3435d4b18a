import CProcess
import Glibc

/// Keeps the program's memory, with passwords and tokens in it, from files that a crash would leave, and from other programs
/// of the same user.
///
/// Source: `setrlimit(2)`; `PR_SET_DUMPABLE` in `prctl(2)`; `core(5)`; `signal(2)`; MASVS-STORAGE-2.
public enum CoreDumps {
    /// Sets the limit of core files to nothing, for this process and those that it starts; it cannot be raised again.
    ///
    /// A handler that the system pipes cores to does not keep to the limit. So this process is marked as one that is not to
    /// be dumped at all; its memory is then closed to debuggers too, but for those of the administrator. Swift's own report of
    /// a crash shows what the registers point to, so it is turned off: the system ends the program.
    public static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        _ = latch_set_dumpable(0)
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] { _ = signal(number, SIG_DFL) }
    }
}
