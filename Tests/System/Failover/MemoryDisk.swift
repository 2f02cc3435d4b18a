import CLibrary
import Foundation
import TestSupport

/// A small file system in memory, which can be filled. It disappears when the value is destroyed.
///
/// It is mounted in the mount namespace of a process of the user that runs PostgreSQL, and reached through that process
/// in `/proc`. So nothing is left behind when the tests are killed.
final class MemoryDisk: Sendable {
    // The process ends when its standard input is closed, which also happens when the test crashes.
    private let holder: ChildProcess

    /// Mounts a file system.
    ///
    /// - Parameter size: The size as `mount` expects it, such as `2g`.
    /// - Throws: An error when this system does not allow it.
    init(size: String) async throws {
        let script = """
            set -e
            mount -t tmpfs -o size=\(size),mode=0700,uid=postgres,gid=postgres tmpfs /mnt
            echo mounted
            exec setpriv --reuid=postgres --regid=postgres --clear-groups cat
            """
        holder = try ChildProcess(
            "/usr/bin/env", OwnMounts.command + ["sh", "-c", script],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        guard String(decoding: holder.output.read(), as: UTF8.self) == "mounted\n" else {
            throw ChildProcess.Failure("The file system was not mounted: \(holder.errors.read())")
        }
        let process = holder.id
        try await eventually { try String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8) == "cat\n" }
    }

    /// Whether such file systems are possible here: for root only, because other users cannot reach the namespace.
    static func arePossible() async throws -> Bool {
        guard getuid() == 0 else { return false }
        return try await OwnMounts.arePossible()
    }

    /// The folder of the file system.
    var path: String { "/proc/\(holder.id)/root/mnt" }

    private var filler: String { path + "/filler" }

    /// Takes all free space.
    func fill() async throws {
        let script = "head -c \"$(df --output=avail -B1 \"$1\" | tail -n 1)\" /dev/zero >\"$2\""
        _ = try await Program.run("sh", ["-c", script, "sh", path, filler])
    }

    /// Gives the space back.
    func makeRoom() throws { try FileManager.default.removeItem(atPath: filler) }
}
