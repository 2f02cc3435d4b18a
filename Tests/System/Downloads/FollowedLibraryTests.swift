import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latch download --all --follow`, at the real gateway with a real picture library.
@Suite("Followed libraries", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct FollowedLibraryTests {
    /// A sandbox and a home that is signed in to it.
    private struct Followed {
        let fixture: PictureFixture
        let sandbox: RunningSandbox
        let pictures: String

        /// Adds a picture to Ada's folder of the gateway, at once as a whole.
        func add(_ name: String) throws {
            let file = pictures + "/ada@example.org/2024/Sommer an der See/" + name
            try Data((Self.bytes + Array(name.utf8))).write(to: URL(filePath: file), options: .atomic)
        }

        static let bytes = patternBytes(40_000)

        func waitForFile(_ name: String) async throws {
            try await eventually { fixture.files().contains(name) }
            #expect(try fixture.bytes(name) == Self.bytes + Array(name.utf8))
        }

        /// The processes of this home that follow.
        func following() -> [Int32] {
            let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return all.compactMap { Int32($0) }.filter { id in
                let words = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
                let environment = FileManager.default.contents(atPath: "/proc/\(id)/environ") ?? Data()
                return words.range(of: Data("--keep-trying\0--follow\0".utf8)) != nil
                    && environment.range(
                        of: Data("XDG_DATA_HOME=\(fixture.base.folder.file("data"))\0".utf8)) != nil
            }
        }

        var log: String {
            let data = FileManager.default.contents(atPath: fixture.base.folder.file("state/latchstring/follow.log"))
            return String(decoding: data ?? Data(), as: UTF8.self)
        }

        var entry: String { fixture.base.folder.file("config/autostart/latchstring-follow.desktop") }
    }

    private func with(_ body: (Followed) async throws -> Void) async throws {
        let outer = try SystemFixture()
        // The services of the machine are not this test's.
        let nowhere = "unix:path=" + outer.folder.file("nowhere")
        let base = SystemFixture(
            sharing: outer,
            [
                "TMPDIR": outer.folder.path, "DBUS_SESSION_BUS_ADDRESS": nowhere, "DBUS_SYSTEM_BUS_ADDRESS": nowhere,
            ])
        let sandbox = try await RunningSandbox(base)
        let root = try #require(
            FileManager.default.contentsOfDirectory(atPath: base.folder.path).first { $0.hasPrefix("latchd-sandbox") })
        let url = try #require(sandbox.json["immich"]?["url"]?.string)
        let fixture = try await PictureFixture(
            signedInTo: url, email: sandbox.email, password: sandbox.password, in: base)
        let followed = Followed(fixture: fixture, sandbox: sandbox, pictures: base.folder.file(root + "/pictures"))
        do {
            try await body(followed)
        } catch {
            for id in followed.following() { kill(id, SIGKILL) }
            throw error
        }
        try await eventually { followed.following().isEmpty }
        await sandbox.end()
    }

    @Test("IM-6 DL-1 a picture that appears in the gateway's library is downloaded at once")
    func terminal() async throws {
        try await with { followed in
            let program = try followed.fixture.start("download", "--all", "--follow")
            try await program.line(containing: "Waiting for new pictures")
            try followed.add("new.jpg")
            try await followed.waitForFile("new.jpg")
            program.send(SIGINT)
            #expect(await program.waitForExit() == 130)
        }
    }

    @Test("IM-6 DL-17 in the background new pictures are downloaded without a terminal, until 'unfollow'")
    func background() async throws {
        try await with { followed in
            let started = try await followed.fixture.latch("download", "--all", "--follow", "--background")
            #expect(started.status == 0, "\(started.errors)")
            #expect(started.output.contains("New pictures are downloaded in the background"))
            #expect(followed.following().count == 1)
            try followed.add("one.jpg")
            try await followed.waitForFile("one.jpg")

            let again = try await followed.fixture.latch("download", "--all", "--follow", "--background", "--json")
            #expect(try JSONValue(parsing: Array(again.output.utf8))["background"] == true, "\(again.errors)")
            #expect(followed.following().count == 1)
            let list = try await followed.fixture.latch("downloads", "list", "--json")
            let followedLibraries = try JSONValue(parsing: Array(list.output.utf8))["followed"]?.array
            #expect(followedLibraries?.first?["folder"]?.string == followed.fixture.library)
            #expect(followedLibraries?.first?["isRunning"] == true)

            // Once more, as the desktop does at a sign-in.
            let log = followed.log
            let running = try await followed.fixture.latch("download", "--follow", "--background")
            #expect(running.output.contains("already"), "\(running.errors)")
            #expect(followed.following().count == 1 && followed.log.hasPrefix(log))

            let ended = try await followed.fixture.latch("downloads", "unfollow")
            #expect(ended.output == "1 library is no longer followed.\n", "\(ended.errors)")
            try await eventually { followed.following().isEmpty }
            #expect(!FileManager.default.fileExists(atPath: followed.entry))
            #expect(followed.log.contains("No library is followed any more."))
        }
    }

    @Test("DL-11 a followed library does not change back the folder that the person chose meanwhile")
    func otherFolder() async throws {
        try await with { followed in
            let first = followed.fixture.base.folder.file("first")
            let second = followed.fixture.base.folder.file("second")
            let started = try await followed.fixture.latch(
                "download", "--all", "--follow", "--background", "--to", first)
            #expect(started.status == 0, "\(started.errors)")
            func isSaved(_ name: String) -> Bool {
                (try? FileManager.default.contentsOfDirectory(atPath: first))?.contains(name) ?? false
            }
            // The file is in its folder shortly before the queue records it.
            func isWaiting() async throws -> Bool {
                let list = try await followed.fixture.latch("downloads", "list", "--json")
                let files = try #require(try JSONValue(parsing: Array(list.output.utf8))["downloads"]?.array)
                return files.contains { $0["state"]?.string != "done" }
            }
            try followed.add("one.jpg")
            try await eventually { isSaved("one.jpg") }
            try await eventually { try await !isWaiting() }
            let chosen = try await followed.fixture.latch("download", "--album", "Familie", "--to", second)
            #expect(chosen.status == 0, "\(chosen.errors)")

            try followed.add("two.jpg")
            try await eventually { isSaved("two.jpg") }
            let next = try await followed.fixture.latch("download", "--album", "Familie", "--dry-run")
            #expect(next.errors.contains("The files are saved to '\(second)', as before."), "\(next.errors)")
            _ = try await followed.fixture.latch("downloads", "unfollow")
        }
    }

    @Test("IM-6 DL-17 following can begin again right after its end, and an empty list starts nothing")
    func again() async throws {
        try await with { followed in
            let nothing = try await followed.fixture.latch("download", "--follow", "--background")
            #expect(nothing.status == 0 && nothing.output.contains("No library is followed"), "\(nothing.errors)")
            #expect(followed.following().isEmpty)
            for options in [["--to", "/tmp/x"], ["--layout", "date"], ["--account", "1"]] {
                let wrong = try await followed.fixture.latch(["download", "--follow", "--background"] + options)
                #expect(wrong.status == 64 && wrong.errors.contains("need --all"), "\(wrong.output)")
            }
            for _ in 0..<2 {
                let started = try await followed.fixture.latch("download", "--all", "--follow", "--background")
                #expect(started.status == 0, "\(started.errors)")
                #expect(FileManager.default.fileExists(atPath: followed.entry))
                _ = try await followed.fixture.latch("downloads", "unfollow")
            }
        }
    }

    @Test("DL-17 after a kill the entry of the desktop starts following again, and finds what appeared meanwhile")
    func killed() async throws {
        try await with { followed in
            let started = try await followed.fixture.latch("download", "--all", "--follow", "--background")
            #expect(started.status == 0, "\(started.errors)")
            for id in followed.following() { kill(id, SIGKILL) }
            try await eventually { followed.following().isEmpty }
            try followed.add("meanwhile.jpg")

            let text = try String(contentsOfFile: followed.entry, encoding: .utf8)
            let command = try #require(text.split(separator: "\n").first { $0.hasPrefix("Exec=") }).dropFirst(5)
            let login = try await Program.run(
                "/bin/sh", ["-c", String(command)], environment: followed.fixture.base.environment)
            #expect(login.status == 0, "\(login.errors)")
            try await followed.waitForFile("meanwhile.jpg")
            _ = try await followed.fixture.latch("downloads", "unfollow")
        }
    }

    @Test("IM-15 while a lock stops downloads, following waits for the unlocking")
    func locked() async throws {
        try await with { followed in
            func latch(_ words: String..., input: String) async throws {
                let pipe = ["sh", "-c", "printf '\(input)' | \"$@\"", "sh"]
                let result = try await followed.fixture.latch(words + ["--pin-stdin"], through: pipe)
                #expect(result.status == 0, "\(words): \(result.errors)")
            }
            try await latch("pin", "local", "set", "--downloads", "stop", input: #"482913\n482913\n"#)
            let started = try await followed.fixture.latch("download", "--all", "--follow", "--background")
            #expect(started.status == 0, "\(started.errors)")
            try followed.add("before.jpg")
            try await followed.waitForFile("before.jpg")
            #expect(try await followed.fixture.latch("lock").status == 0)
            try followed.add("while.jpg")
            try await latch("unlock", input: #"482913\n"#)
            try await followed.waitForFile("while.jpg")
            _ = try await followed.fixture.latch("downloads", "unfollow")
        }
    }

    @Test("IM-11 a sign-out ends following, and nothing starts any more")
    func signOut() async throws {
        try await with { followed in
            let started = try await followed.fixture.latch("download", "--all", "--follow", "--background")
            #expect(started.status == 0, "\(started.errors)")
            let out = try await followed.fixture.latch("logout", "--drop-downloads")
            #expect(out.status == 0, "\(out.errors)")
            try await eventually { followed.following().isEmpty }
            #expect(!FileManager.default.fileExists(atPath: followed.entry))
        }
    }

    @Test("IM-6 OX-14 following continues after the session ended on the server and the person signed in again")
    func signedInAgain() async throws {
        try await with { followed in
            let started = try await followed.fixture.latch("download", "--all", "--follow", "--background")
            #expect(started.status == 0, "\(started.errors)")
            let list = try await followed.fixture.latch("sessions", "list", "--json")
            let id = try JSONValue(parsing: Array(list.output.utf8))["sessions"]?.array?
                .first { $0["isCurrent"] == true }?["id"]?.string
            // The session ends on the server; the account stays in the list.
            _ = try await followed.fixture.latch(
                "request", "DELETE", "/api/sessions/" + (try #require(id)))
            try await eventually { followed.log.contains("signed out") }
            try followed.add("two.jpg")
            _ = try await PictureFixture(
                signedInTo: try #require(followed.sandbox.json["immich"]?["url"]?.string),
                email: followed.sandbox.email, password: followed.sandbox.password, in: followed.fixture.base)
            try await followed.waitForFile("two.jpg")
            _ = try await followed.fixture.latch("downloads", "unfollow")
        }
    }
}
