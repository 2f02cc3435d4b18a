import Glibc
import TestSupport

/// Programs whose mounts nobody else sees.
enum OwnMounts {
    /// Runs a command so.
    static let command = getuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"]

    /// Whether a file system can be mounted so here.
    static func arePossible() async throws -> Bool {
        try await Program.run("/usr/bin/env", command + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status == 0
    }
}
