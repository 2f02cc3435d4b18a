import Foundation

/// Keeps the program's memory, with passwords and tokens in it, out of files that a crash would leave.
///
/// Source: `setrlimit(2)`; MASVS-STORAGE-2.
public enum CoreDumps {
    /// Sets the limit of core files to nothing, for this process and those that it starts; it cannot be raised again.
    ///
    /// A handler that the system pipes cores to may be told the limit and not keep to it; systemd's does.
    public static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
}
