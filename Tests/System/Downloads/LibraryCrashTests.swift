import Crypto
import Foundation
import TestSupport
import Testing

/// `latch download`, the built program, killed repeatedly while it downloads a library of pictures.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10))) struct LibraryCrashTests {
    private static let kills = 60
    /// How often the album is there; each copy has seven files, two pairs among them.
    private static let copies = 8

    @Test(
        "DL-2 DL-6 DL-11 DL-17 a library is downloaded completely, each picture once, despite 60 kills at random times",
        .inTurn)
    func killed() async throws {
        var random = SeededRandom(for: "Kills of latch download")
        let server = try await PictureSandbox(copies: Self.copies, &random)
        var (kills, rounds) = (0, 0)
        while kills < Self.kills {
            let mode = rounds % 2 == 0 ? [] : ["--motion-photo"]
            kills += try await downloadLibrary(mode, server, killing: Self.kills - kills, &random)
            rounds += 1
        }
        print("Killed \(kills) times over \(rounds) libraries of \(server.originals.count) files.")
        await server.end()
    }

    /// Downloads the library into a new folder, through so many kills at most; gives how many there were.
    private func downloadLibrary(
        _ mode: [String], _ server: PictureSandbox, killing most: Int, _ random: inout SeededRandom
    ) async throws -> Int {
        let fixture = try await server.signIn()
        let complete = try await server.files(mode)
        var (kills, seen) = (0, Set<String>())
        while kills < most {
            // Alone it goes on with what is in the queue; with --all it also chooses again.
            let arguments = kills == 0 || random.next() % 2 == 0 ? ["--all"] : []
            let program = try fixture.start(["download"] + arguments + mode)
            // Also before it has begun, and while it takes up what the one before left.
            try await Task.sleep(for: .milliseconds(Int(random.next() % 900)))
            program.send(SIGKILL)
            guard await program.waitForExit() != 0 else { break }
            kills += 1
            let comment = "kill \(kills) \(mode), LATCHSTRING_SEED=\(random.seed)"
            for name in fixture.files() where seen.insert(name).inserted {
                #expect(try Self.sum(fixture, name) == complete[name], "\(comment): \(name)")
            }
        }
        let comment = "after \(kills) kills \(mode), LATCHSTRING_SEED=\(random.seed)"
        let last = try await fixture.latch(["download", "--all"] + mode)
        #expect(last.status == 0, "\(comment): \(last.errors)")
        #expect(fixture.files() == complete.keys.sorted() && fixture.parts().isEmpty, "\(comment): \(fixture.files())")
        for name in fixture.files() { #expect(try Self.sum(fixture, name) == complete[name], "\(comment): \(name)") }

        let asked = try await server.fetched()
        let again = try await fixture.latch(["download", "--all"] + mode)
        #expect(again.status == 0 && again.errors.contains("are already here"), "\(comment): \(again.errors)")
        #expect(try await server.fetched() == asked, "\(comment): a picture is fetched again")
        return kills
    }

    private static func sum(_ fixture: PictureFixture, _ name: String) throws -> String {
        SHA256.digest(try fixture.bytes(name)).hexadecimal
    }
}
