import CLibrary
import TestSupport

/// Programs in a mount namespace of their own, whose mounts other programs do not see.
enum OwnMounts {
    /// The words that run a command in such a namespace.
    static let command = getuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"]

    /// Whether a file system can be mounted so here.
    static func arePossible() async throws -> Bool {
        try await Program.run("/usr/bin/env", command + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status == 0
    }
}
