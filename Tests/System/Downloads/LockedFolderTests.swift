import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

/// `latch download --locked`, the built program.
@Suite("IM-15 Downloading the locked folder", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct LockedFolderTests {
    @Test("IM-15 DL-1 with a gateway the locked folder is downloaded with the PIN, and is locked again")
    func gateway() async throws {
        let outer = try SystemFixture()
        let inside = SystemFixture(sharing: outer, ["TMPDIR": outer.folder.path])
        let sandbox = try await RunningSandbox(inside)
        let url = try #require(sandbox.json["immich"]?["url"]?.string)
        let fixture = try await PictureFixture(
            signedInTo: url, email: sandbox.email, password: sandbox.password, in: inside)
        let noPIN = try await fixture.latch(["download", "--locked", "--pin-stdin"], input: "123456\n")
        _ = try await fixture.latch(["pin", "set", "--pin-stdin"], input: "123456\n")
        let wrong = try await fixture.latch(["download", "--locked", "--pin-stdin"], input: "654321\n")
        let plan = try await fixture.latch(
            ["download", "--locked", "--pin-stdin", "--dry-run", "--json"], input: "123456\n")
        let locked = try await fixture.latch(["download", "--locked", "--pin-stdin"], input: "123456\n")
        let status = try await fixture.latch("pin", "status", "--json")
        let again = try await fixture.latch(["download", "--locked", "--pin-stdin"], input: "123456\n")
        let all = try await fixture.latch("download", "--all", "--dry-run", "--json")
        await sandbox.end()

        #expect(noPIN.status != 0 && noPIN.errors.contains("You have no PIN"), "\(noPIN.errors)")
        #expect(wrong.status == 77 && wrong.errors.contains("PIN is wrong"), "\(wrong.errors)")
        #expect(try PictureFixture.events(plan.output).first?["files"] == 1, "\(plan.errors)")
        #expect(locked.status == 0 && fixture.files() == ["Nur für mich.jpg"], "\(locked.output)\(locked.errors)")
        #expect(try PictureFixture.events(status.output).first?["isUnlocked"] == false)
        #expect(again.status == 0 && again.errors.contains("already here"), "\(again.errors)")
        #expect(try PictureFixture.events(all.output).first?["files"] == 10)
    }

    /// A server with a locked folder, and whether it is unlocked.
    private func server(
        _ folder: LockState, failing path: String? = nil
    ) throws -> PictureServer {
        var pictures = (1...2).map { PictureServer.Picture($0, "locked \($0).jpg", Array(repeating: 7, count: 5_000)) }
        for index in pictures.indices { pictures[index].visibility = "locked" }
        let server = try PictureServer(pictures)
        server.intercept { request in
            func text(_ status: Int, _ body: String) -> FaultServer.Response {
                .init(status: status, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
            }
            if request.path == path { return text(503, "{}") }
            switch request.path {
            case "/api/auth/session/unlock":
                folder.isUnlocked = true
                return .init(status: 204)
            case "/api/auth/session/lock":
                folder.isUnlocked = false
                return .init(status: 204)
            case "/api/auth/status":
                return text(200, #"{"pinCode":true,"password":true,"isElevated":\#(folder.isUnlocked)}"#)
            case "/api/search/metadata" where !folder.isUnlocked:
                return text(401, #"{"message":"Elevated permission is required"}"#)
            case let path where path.hasSuffix("/original"):
                guard folder.isUnlocked else { return text(404, #"{"message":"Not Found"}"#) }
                var response = FaultServer.Response.file(Array(repeating: 7, count: 5_000), to: request)
                if path.contains(PictureServer.Picture.id(2)) { response.stallAfter = 1_000 }
                return response
            default: return nil
            }
        }
        return server
    }

    @Test(
        "IM-15 a signal during the download locks the folder again, and leaves no task for it",
        arguments: [SIGINT, SIGTERM])
    func signal(number: Int32) async throws {
        let folder = LockState()
        let server = try server(folder)
        let fixture = try await PictureFixture(signedInTo: server)
        let terminal = try fixture.start(["download", "--locked", "--pin-stdin", "--json"], input: "123456\n")
        try await terminal.line { $0.contains("\"received\":1000") }
        #expect(folder.isUnlocked)
        terminal.send(number)
        #expect(await terminal.waitForExit() == (number == SIGINT ? 130 : 128 + number))

        #expect(!folder.isUnlocked)
        let list = try await fixture.latch("downloads", "list", "--json")
        let rows = try PictureFixture.events(list.output).first?["downloads"]?.array ?? []
        #expect(rows.allSatisfy { $0["state"] == "done" }, "\(list.output)")
        let whoami = try await fixture.latch("whoami")
        #expect(whoami.status == 0)
    }

    @Test("IM-15 a server that fails to lock is reported, and the files and the session stay")
    func failedLock() async throws {
        let folder = LockState()
        let server = try server(folder, failing: "/api/auth/session/lock")
        server.change { $0.removeLast() }
        let fixture = try await PictureFixture(signedInTo: server)
        let result = try await fixture.latch(["download", "--locked", "--pin-stdin"], input: "123456\n")
        #expect(result.status == 75 && result.errors.contains("could not be locked again"), "\(result.errors)")
        #expect(fixture.files() == ["locked 1.jpg"])
        #expect(try await fixture.latch("whoami").status == 0)
    }

    @Test("IM-15 a failed lock is reported after a signal and with a folder that cannot be used")
    func failedLockAndWork() async throws {
        let folder = LockState()
        let server = try server(folder, failing: "/api/auth/session/lock")
        let fixture = try await PictureFixture(signedInTo: server)
        let terminal = try fixture.start(["download", "--locked", "--pin-stdin", "--json"], input: "123456\n")
        try await terminal.line { $0.contains("\"received\":1000") }
        terminal.send(SIGINT)
        #expect(await terminal.waitForExit() == 130)
        let errors = terminal.output
        #expect(errors.contains("latch pin lock") && !errors.contains("is locked again"), "\(errors)")

        let file = fixture.base.folder.file("key")
        let refused = try await fixture.latch(
            ["download", "--locked", "--pin-stdin", "--to", file], input: "123456\n")
        #expect(refused.status != 0 && refused.errors.contains(file), "\(refused.errors)")
        #expect(refused.errors.contains("latch pin lock"), "\(refused.errors)")
    }

    @Test("IM-15 files that wait are not downloaded while the folder is unlocked")
    func others() async throws {
        let folder = LockState()
        let server = try server(folder)
        server.change { pictures in
            pictures.removeLast()
            pictures.append(PictureServer.Picture(2, "other.jpg", Array(repeating: 7, count: 5_000)))
        }
        let fixture = try await PictureFixture(signedInTo: server)
        folder.isUnlocked = true
        let terminal = try fixture.start(["download", "--all", "--json"])
        try await terminal.line { $0.contains("\"received\":1000") }
        terminal.send(SIGINT)
        #expect(await terminal.waitForExit() == 130)

        let locked = try await fixture.latch(["download", "--locked", "--pin-stdin"], input: "123456\n")
        #expect(locked.status == 0 && fixture.files() == ["locked 1.jpg"], "\(locked.errors)")
        #expect(locked.errors.contains("To download the files that wait: latch download"), "\(locked.errors)")
        let list = try await fixture.latch("downloads", "list", "--json")
        let rows = try PictureFixture.events(list.output).first?["downloads"]?.array ?? []
        #expect(rows.contains { $0["state"] == "waiting" }, "\(list.output)")
        #expect(!folder.isUnlocked)
    }

    @Test("IM-15 the PIN is asked for without echo, and options that cannot be combined are refused")
    func terminal() async throws {
        let folder = LockState()
        let server = try server(folder)
        server.change { $0.removeLast() }
        let fixture = try await PictureFixture(signedInTo: server)
        let terminal = try fixture.atTerminal("download", "--locked")
        try terminal.wait(for: "PIN at 127.0.0.1")
        terminal.type("123456\n")
        #expect(try terminal.end() == 0)
        #expect(!terminal.screen.contains("123456") && fixture.files() == ["locked 1.jpg"])
        for words in [["--all"], ["--album", "a"], ["--background"], [PictureServer.Picture.id(1)]] {
            #expect(try await fixture.latch(["download", "--locked"] + words).status == 64, "\(words)")
        }
        #expect(try await fixture.latch("download", "--all", "--pin-stdin").status == 64)
    }
}

/// Whether the locked folder of a server is unlocked.
private final class LockState: Sendable {
    private let state = Mutex(false)

    var isUnlocked: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
