import Crypto
import Foundation
import TestSupport
import Testing

/// A file system that is full, and has room again.
@Suite(
    .serialized, .timeLimit(.minutes(20)),
    .enabled("This system lets nobody mount a small file system (unshare --mount).") {
        try await OwnMounts.arePossible()
    })
struct DownloadDiskFullTests {
    /// Runs a script, which finds the program as `$0` and the folder of accounts and files as `$1`.
    private static func start(_ script: String, _ home: String) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/env", OwnMounts.command + ["sh", "-c", script, try Products.path("QueueProbe"), home],
            environment: ProcessInfo.processInfo.environment)
    }

    /// Removes what fills the disk, and looks whether all files are downloaded whole after that.
    private static func makeRoom(_ program: RunningProgram, _ filler: String, for bulk: Bulk) async throws {
        try FileManager.default.removeItem(atPath: "/proc/\(program.id)/root\(filler)")
        try await program.line(containing: "goes on")
        try await program.line(containing: "over")
        #expect(await program.waitForExit() == 0)
        #expect(program.output.contains("done \(bulk.files.count) failed 0 skipped 0 open 0"), "\(program.output)")
        let sums = program.output.split(separator: "\n").filter { $0.contains("  ./") }.map(String.init)
        let expected = bulk.files.map { "\(SHA256.digest(Array($0.value)).hexadecimal)  ./\($0.key)" }
        #expect(sums.sorted() == expected.sorted())
    }

    @Test("DL-13 a full disk pauses the queue with a message; with free space it continues, and every file is complete")
    func full() async throws {
        var random = SeededRandom(for: "Disk full")
        let bulk = try await Bulk(12, pairs: 2, length: 2_000_000, &random)
        let folder = try TemporaryDirectory()
        let home = folder.file("home")
        try await bulk.begin(in: home)
        let program = try Self.start(
            """
            set -e
            mkdir "$1/Pictures"
            mount -t tmpfs -o size=40m tmpfs "$1/Pictures"
            head -c 39M /dev/zero >"$1/Pictures/filler"
            "$0" "$1" run
            cd "$1/Pictures"
            find . -type f | sort | xargs sha256sum
            echo over
            """, home)
        try await program.line(containing: "held: There is no space left in '\(home)/Pictures'")
        try await Self.makeRoom(program, home + "/Pictures/filler", for: bulk)
    }

    @Test(
        "DL-13 the queue also waits if the full disk contains the queue itself, and loses nothing")
    func fullWithTheQueue() async throws {
        var random = SeededRandom(for: "Disk full with the queue")
        let bulk = try await Bulk(40, pairs: 8, length: 1_000_000, &random)
        let folder = try TemporaryDirectory()
        try await bulk.begin(in: folder.file("home"))
        let program = try Self.start(
            """
            set -e
            mount -t tmpfs -o size=60m tmpfs /mnt
            cp -a "$1/." /mnt
            free=$(df --output=avail -k /mnt | tail -n 1)
            head -c $((free - 3000))K /dev/zero >/mnt/filler
            "$0" /mnt run
            cd /mnt/Pictures
            find . -type f | sort | xargs sha256sum
            echo over
            """, folder.file("home"))
        try await program.line(containing: "held: There is no space left for the downloads database '/mnt/data/")
        try await Self.makeRoom(program, "/mnt/filler", for: bulk)
    }

    @Test(
        "DL-13 while the disk is full, the list of downloads says so for each waiting file, also if one part of a live photo is complete",
        arguments: [false, true])
    func listed(_ isLive: Bool) async throws {
        var large = PictureServer.Picture(1, isLive ? "summer.mov" : "summer.jpg", patternBytes(3_000_000))
        if isLive { large.visibility = "hidden" }
        var still = PictureServer.Picture(2, "summer.jpg", patternBytes(20_000))
        still.video = large.id
        let server = try PictureServer(isLive ? [still, large] : [large])
        defer { withExtendedLifetime(server) {} }
        let fixture = try await PictureFixture(signedInTo: server)
        let isComplete = DispatchSemaphore(value: isLive ? 0 : 1)
        server.intercept { [path = "/api/assets/\(large.id)/original"] request in
            guard request.path.hasPrefix(path) else { return nil }
            isComplete.wait()
            isComplete.signal()
            return nil
        }
        async let waiting: Void = isLive ? Self.waitForCompletePart(in: fixture.base) : ()
        let folder = fixture.base.folder.file("small")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let script = """
            set -e
            mount -t tmpfs -o size=20m tmpfs "$0"
            head -c 19M /dev/zero >"$0/filler"
            mkfifo "$0.fifo"
            "$@" >"$0.fifo" 2>&1 &
            exec 3<"$0.fifo"
            while read -r line <&3; do
                echo "$line" >&2
                case $line in *"no space left"*) break ;; esac
            done
            "$1" downloads list
            kill $! || true
            """
        async let run = fixture.latch(
            ["download", "--all", "--to", folder], through: OwnMounts.command + ["sh", "-c", script, folder])
        try await waiting
        isComplete.signal()
        let result = try await run
        #expect(result.output.contains("\(large.name)  There is no space left in '\(folder)'"), "\(result)")
        #expect(result.output.contains("running  \(still.id)") == isLive, "\(result)")
    }

    /// Waits until the database records that a part of a live photo is complete.
    private static func waitForCompletePart(in fixture: SystemFixture) async throws {
        let script = """
            import sqlite3, sys, time
            database = sqlite3.connect(sys.argv[1])
            while True:
                try:
                    if database.execute("SELECT 1 FROM downloads WHERE is_whole").fetchone(): break
                except sqlite3.OperationalError: pass
                time.sleep(0.01)
            """
        let path = fixture.folder.file("data/latchstring/latchstring.db")
        let result = try await Program.run("python3", ["-c", script, path])
        guard result.status == 0 else { throw ChildProcess.Failure(result.errors) }
    }
}
