import Foundation
import HTTPMessages
import TestSupport
import Testing

/// The commands to a queue, whose server gives half of a file and then nothing until it is told to.
@Suite("Download commands", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct DownloadCommandsTests {
    private static let bytes = patternBytes(400_000)

    private func server(_ count: Int = 3) throws -> PictureServer {
        try PictureServer((1...count).map { PictureServer.Picture($0, "IMG_\($0).JPG", Self.bytes) })
    }

    /// Half of each file, and then nothing.
    private func stall(_ server: PictureServer) {
        server.intercept { request in
            guard request.path.hasSuffix("/original"), request.headers["range"] == nil else { return nil }
            var response = FaultServer.Response.file(Self.bytes, to: request)
            response.stallAfter = Self.bytes.count / 2
            return response
        }
    }

    /// Waits until the server has been asked for so many files.
    private func asked(_ server: PictureServer, _ count: Int) async throws {
        while server.server.requests.count(where: { $0.path.hasSuffix("/original") }) < count {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("DL-7 a terminal shows a bar for each file with its bytes, and one line for all")
    func bars() async throws {
        let server = try server()
        stall(server)
        let fixture = try await PictureFixture(signedInTo: server)
        let terminal = try fixture.atTerminal("download", "--all")
        try terminal.wait(for: "50%  200 kB / 400 kB      IMG_1.JPG")
        try terminal.wait(for: "0 of 3 files  600 kB of 1.2 MB")
        terminal.type("\u{3}")
        let status = try terminal.end()
        #expect(status == 130 && terminal.screen.contains("To continue: latch download"))
    }

    @Test("DL-12 DL-14 Ctrl-C keeps the received bytes, and 'latch download' continues there, in the same folder")
    func interrupted() async throws {
        let server = try server()
        stall(server)
        let fixture = try await PictureFixture(signedInTo: server)
        let folder = fixture.base.folder.file("Elsewhere")
        let program = try fixture.start("download", "--all", "--to", folder, "--json")
        try await program.line { $0.contains("\"received\":200000") }
        program.send(SIGINT)
        #expect(await program.waitForExit() == 130)

        let other = try await fixture.latch("download", "--all", "--to", fixture.base.folder.file("Third"))
        let resumed = try await fixture.latch("download")
        #expect(other.status == 65 && other.errors.contains("Files are still waiting to be saved to '\(folder)'"))
        #expect(resumed.status == 0 && resumed.output.contains("3 files downloaded"), "\(resumed.errors)")
        #expect(fixture.files(in: folder) == ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"])
        for name in fixture.files(in: folder) {
            #expect(FileManager.default.contents(atPath: folder + "/" + name) == Data(Self.bytes))
        }
        #expect(server.server.requests.contains { $0.headers["range"] == "bytes=200000-" })
    }

    @Test("DL-12 another terminal lists, watches, pauses, resumes and cancels downloads, by id or all")
    func commands() async throws {
        let server = try server(4)
        stall(server)
        let fixture = try await PictureFixture(signedInTo: server)
        let program = try fixture.start("download", "--all")
        try await asked(server, 3)
        let watching = try fixture.start("downloads", "watch", "--json")
        try await watching.line { $0.contains("\"progress\"") }

        let paused = try await fixture.latch("downloads", "pause", PictureServer.Picture.id(1))
        let cancelled = try await fixture.latch("downloads", "cancel", PictureServer.Picture.id(2), "--json")
        let second = try await fixture.latch("download", "--all")
        let rest = try await fixture.latch("downloads", "pause")
        let status = await program.waitForExit()
        let watched = await watching.waitForExit()
        let list = try await fixture.latch("downloads", "list")
        server.intercept { _ in nil }
        let resumed = try await fixture.latch("downloads", "resume")
        let done = try await fixture.latch("download")
        let one = try await fixture.latch("downloads", "clear", PictureServer.Picture.id(1))
        let cleared = try await fixture.latch("downloads", "clear")

        #expect(paused.status == 0 && paused.output == "1 file.\n")
        #expect(cancelled.output == "{\"files\":1}\n")
        #expect(second.status == 0 && second.errors.contains("Another 'latch download' is running"))
        #expect(rest.status == 0 && status == 0 && watched == 0)
        #expect(list.output.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("paused") }, "\(list.output)")
        #expect(resumed.status == 0 && done.status == 0, "\(done.errors)")
        #expect(fixture.files().count == 4)
        #expect(one.output == "1 file.\n" && cleared.output == "3 files.\n")
        #expect(try await fixture.latch("downloads", "list").errors.contains("The queue is empty"))
    }

    @Test("DL-8 a second 'latch download' reports exactly the options that the running one does not use")
    func unusedOptions() async throws {
        let server = try server(4)
        stall(server)
        let fixture = try await PictureFixture(signedInTo: server)
        let program = try fixture.start("download", PictureServer.Picture.id(1))
        try await asked(server, 1)
        let options = ["--layout", "date", "--motion-photo", "--parallel", "2", "--keep-trying", "--metered"]
        let all = try await fixture.latch(["download", PictureServer.Picture.id(2)] + options)
        let one = try await fixture.latch("download", PictureServer.Picture.id(3), "--metered")
        let none = try await fixture.latch("download", PictureServer.Picture.id(4))
        server.intercept { _ in nil }
        server.server.cut()
        #expect(await program.waitForExit() == 0)

        let optionList = "--layout, --motion-photo, --parallel, --keep-trying, --metered."
        #expect(
            all.status == 0 && all.errors.contains("It ignores these options of this command: \(optionList)"),
            "\(all.errors)")
        #expect(
            one.errors.contains("It ignores these options of this command: --metered."),
            "\(one.errors)")
        #expect(
            none.errors.contains("Another 'latch download' is running")
                && !none.errors.contains("It ignores these options"))
        #expect(fixture.files().count == 4)
    }

    @Test("DL-8 DL-14 finished downloads allow another folder for the next files")
    func nextFolder() async throws {
        let server = try server()
        server.intercept { request in
            guard request.path.hasSuffix(PictureServer.Picture.id(2) + "/original") else { return nil }
            return .init(
                status: 403, headers: [("Content-Type", "application/json")], body: Array(#"{"message":"No"}"#.utf8))
        }
        let fixture = try await PictureFixture(signedInTo: server)
        let (one, other) = (fixture.base.folder.file("One"), fixture.base.folder.file("Other"))
        let first = try await fixture.latch("download", "--all", "--to", one)
        let second = try await fixture.latch("download", PictureServer.Picture.id(3), "--to", other)
        #expect(first.status == 1 && fixture.files(in: one) == ["IMG_1.JPG", "IMG_3.JPG"], "\(first.errors)")
        #expect(
            second.errors.contains("1 file to download") && fixture.files(in: other) == ["IMG_3.JPG"],
            "\(second.errors)")
    }

    @Test("DL-9 DL-13 DL-14 a failed file is reported with its reason, the others are downloaded, and it is retried")
    func failures() async throws {
        let server = try server()
        server.intercept { request in
            guard request.path.hasSuffix(PictureServer.Picture.id(2) + "/original") else { return nil }
            return .init(
                status: 403, headers: [("Content-Type", "application/json")],
                body: Array(#"{"message":"Missing required permission: asset.download"}"#.utf8))
        }
        let fixture = try await PictureFixture(signedInTo: server)
        let first = try await fixture.latch("download", "--all")
        server.intercept { _ in nil }
        let retried = try await fixture.latch("downloads", "retry", PictureServer.Picture.id(2))
        let second = try await fixture.latch("download")

        #expect(first.status == 1 && first.output.contains("2 files downloaded"))
        #expect(
            first.errors.contains("IMG_2.JPG: The server denies access")
                && first.errors.contains("latch downloads retry"))
        #expect(retried.output == "1 file.\n")
        #expect(second.status == 0 && fixture.files() == ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"], "\(second.errors)")
    }

    @Test(
        "DL-13 a session that the server ended pauses its files and ends with 77; after a sign-in they are downloaded")
    func sessionEnded() async throws {
        let server = try server()
        let fixture = try await PictureFixture(signedInTo: server)
        server.intercept { request in
            guard request.path.hasSuffix("/original") else { return nil }
            return .init(
                status: 401, headers: [("Content-Type", "application/json")],
                body: Array(#"{"message":"Invalid user token"}"#.utf8))
        }
        let ended = try await fixture.latch("download", "--all")
        let list = try await fixture.latch("downloads", "list")
        server.intercept { _ in nil }
        let again = try await PictureFixture(
            signedInTo: server.url, email: PictureServer.email, password: PictureServer.password, in: fixture.base)
        let resumed = try await again.latch("downloads", "resume")
        let done = try await again.latch("download")

        #expect(ended.status == 77 && ended.errors.contains("latch downloads resume"), "\(ended.errors)")
        #expect(list.output.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("paused") }, "\(list.output)")
        #expect(resumed.status == 0 && done.status == 0 && fixture.files().count == 3, "\(done.errors)")
    }
}
