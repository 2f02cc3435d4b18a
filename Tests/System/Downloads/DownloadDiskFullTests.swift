import Crypto
import Foundation
import TestSupport
import Testing

/// A file system that is full, and has room again.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DownloadDiskFullTests {
    /// Whether a file system can be mounted for a program of one's own here.
    private static func unshare() async throws -> [String]? {
        let words = getuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"]
        let result = try await Program.run("/usr/bin/env", words + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        return result.status == 0 ? words : nil
    }

    @Test("DL-13 a full disk pauses the queue and says so; with room again it goes on, and every file is whole")
    func full() async throws {
        guard let unshare = try await Self.unshare() else {
            print("Skipped: this system lets nobody mount a small file system (unshare --mount).")
            return
        }
        var random = SeededRandom(for: "Disk full")
        let bulk = try await Bulk(12, pairs: 2, length: 2_000_000, &random)
        let folder = try TemporaryDirectory()
        let home = folder.file("home")
        try await bulk.begin(in: home)
        let script = """
            set -e
            mkdir "$1/Pictures"
            mount -t tmpfs -o size=40m tmpfs "$1/Pictures"
            head -c 39M /dev/zero >"$1/Pictures/filler"
            "$0" "$1" run
            rm "$1/Pictures/filler" 2>/dev/null || true
            cd "$1/Pictures"
            find . -type f | sort | xargs sha256sum
            echo over
            """
        let program = try RunningProgram(
            "/usr/bin/env", unshare + ["sh", "-c", script, try Products.path("QueueProbe"), home],
            environment: ProcessInfo.processInfo.environment)
        try await program.line(containing: "held: There is no room left")
        try FileManager.default.removeItem(atPath: "/proc/\(program.id)/root\(home)/Pictures/filler")
        try await program.line(containing: "goes on")
        try await program.line(containing: "over")
        #expect(await program.waitForExit() == 0)
        #expect(program.output.contains("done \(bulk.files.count) failed 0 skipped 0 open 0"), "\(program.output)")
        let sums = program.output.split(separator: "\n").filter { $0.contains("  ./") }.map(String.init)
        let expected = bulk.files.map { "\(SHA256.digest(Array($0.value)).hexadecimal)  ./\($0.key)" }
        #expect(sums.sorted() == expected.sorted())
    }
}
