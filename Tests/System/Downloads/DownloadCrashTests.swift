import Foundation
import TestSupport
import Testing

/// A program that downloads, killed again and again.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10))) struct DownloadCrashTests {
    private static let kills = 500

    @Test(
        "DL-17 300 files are downloaded completely, each once, despite 500 kills at random times"
    )
    func killed() async throws {
        var random = SeededRandom(for: "Kills of a download")
        let bulk = try await Bulk(300, pairs: 20, length: 300_000, &random)
        var (kills, bulks) = (0, 0)
        while kills < Self.kills {
            let folder = try TemporaryDirectory()
            let home = folder.file("home")
            try await bulk.begin(in: home)
            var seen: Set<String> = []
            bulks += 1
            while kills < Self.kills {
                let program = try bulk.start(in: home)
                // Also before it has begun, and while it takes up what the one before left.
                try await Task.sleep(for: .milliseconds(Int(random.next() % 240)))
                program.send(SIGKILL)
                guard await program.waitForExit() != 0 else { break }
                kills += 1
                try bulk.check(home, &seen, "kill \(kills), LATCHSTRING_SEED=\(random.seed)")
            }
            try await bulk.finish(in: home, "after \(kills) kills, LATCHSTRING_SEED=\(random.seed)")
        }
        print("Killed \(kills) times over \(bulks) bulks.")
    }
}
