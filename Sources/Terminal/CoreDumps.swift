import CLibrary
import CProcess

/// Protects the memory of the process, which contains passwords and tokens, from core dumps and from other programs of
/// the same user.
///
/// Source: `setrlimit(2)`; `PR_SET_DUMPABLE` in `prctl(2)`; `core(5)`; `signal(2)`; MASVS-STORAGE-2.
package enum CoreDumps {
    /// Sets the core file size limit of this process and its children to 0. The limit cannot be raised again.
    ///
    /// A handler to which the system pipes core dumps ignores that limit. The process is therefore also marked as not
    /// dumpable, which denies access to its memory to all debuggers except those of the administrator. Swift's crash
    /// reports show the memory that registers point to, so they are disabled: the system ends the process instead.
    package static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        _ = latch_set_dumpable(0)
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] { _ = signal(number, SIG_DFL) }
    }
}
