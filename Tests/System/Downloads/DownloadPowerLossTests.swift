import Foundation
import TestSupport
import Testing

/// The power goes while files are downloaded.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10))) struct DownloadPowerLossTests {
    private static let cuts = 60

    @Test(
        "DL-17 after a power loss every saved file is complete, and the others are downloaded once",
        .enabled("This system lets nobody have a boot id of their own (unshare --mount).") {
            try await RebootedMachine.isPossible()
        })
    func cut() async throws {
        var random = SeededRandom(for: "Power cuts of a queue")
        let bulk = try await Bulk(40, pairs: 5, length: 60_000, &random)
        let folder = try TemporaryDirectory()
        let root = folder.file("home")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        var trace = SystemCallTrace(root: root)
        var added = 0
        for arguments in try bulk.commands(in: root) {
            let file = folder.file("trace-\(arguments[2])")
            let command = SystemCallTrace.command(file, arguments)
            let result = try await Program.run("/usr/bin/env", command)
            try #require(result.status == 0, "\(result.errors)")
            try trace.read(file)
            if arguments[2] == "add" { added = trace.events.count }
        }
        var disk = Disk(root: root)
        var followed = 0
        let moments = (0..<Self.cuts).map { _ in added + Int(random.next() % UInt64(trace.events.count - added + 1)) }
        for moment in moments.sorted() {
            for number in followed..<moment { disk.follow(trace.events[number], number: number) }
            followed = moment
            let remains = try #require(Disk.UnflushedData.allCases.randomElement(using: &random))
            let comment = "cut before event \(moment), leaving \(remains), LATCHSTRING_SEED=\(random.seed)"
            // In the same place: the queue knows where its files are.
            try FileManager.default.removeItem(atPath: root)
            try disk.cutPower(leaving: remains, &random, to: root)
            var seen: Set<String> = []
            try bulk.check(root, &seen, comment)
            try await bulk.finish(in: root, comment, through: RebootedMachine.command(folder))
        }
        print("\(Self.cuts) power cuts in \(trace.events.count - added) events of a queue.")
    }
}

/// A machine that was started anew: its boot id is another, for a program in a mount namespace of its own.
///
/// Source: proc_sys_kernel(5), `random`; mount_namespaces(7).
private enum RebootedMachine {
    private static let id = "/proc/sys/kernel/random/boot_id"
    private static let script = #"mount --bind "$0" \#(id) && exec "$@""#

    /// The words that start a program so.
    static func command(_ folder: TemporaryDirectory) throws -> [String] {
        let file = folder.file("boot_id")
        try UUID().uuidString.lowercased().write(toFile: file, atomically: false, encoding: .utf8)
        return OwnMounts.command + ["sh", "-c", script, file]
    }

    /// Whether this system allows that.
    static func isPossible() async throws -> Bool {
        let folder = try TemporaryDirectory()
        let result = try await Program.run("/usr/bin/env", command(folder) + ["cat", id])
        guard result.status == 0 else { return false }
        let found = try String(contentsOfFile: folder.file("boot_id"), encoding: .utf8)
        try #require(result.output == found && !(try String(contentsOfFile: id, encoding: .utf8)).contains(found))
        return true
    }
}
