import Foundation
import TestSupport
import Testing

/// The built `latch download` on a desktop: its network, its messages, its sleep.
@Suite(.blocking, .timeLimit(.minutes(20))) struct DownloadDesktopTests {
    private static let bytes = patternBytes(50_000)

    private let home: HomeFixture
    private let desktop: MockDesktop
    private let server: FaultServer

    init() async throws {
        desktop = try await MockDesktop(.network, .login, .notifications)
        server = try FaultServer { request in
            let body: String
            switch request.path {
            case "/api/auth/type": body = #"{"multi_tenant":false,"password_auth_enabled":true}"#
            case "/api/auth/mobile/login": body = #"{"access_token":"token-of-ada","token_type":"bearer"}"#
            case "/api/me": body = #"{"id":"1","email":"ada@example.org","is_active":true,"role":"basic"}"#
            case "/files/one.bin": return .file(Self.bytes, to: request)
            case "/files/film.mp4":
                var response = FaultServer.Response.file(Self.bytes, to: request)
                (response.stallAfter, response.announced) = (10_000, 300 << 20)
                return response
            default: return .init(status: 404)
            }
            return .init(headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
        var home = try HomeFixture()
        home.environment.merge(desktop.environment) { $1 }
        self.home = home
        let login = try await home.latch(
            "login", server.url(""), "-e", "ada@example.org", "--password-stdin", input: "correct horse")
        try #require(login.status == 0, "\(login.errors)")
    }

    private func download(_ more: String...) throws -> RunningProgram {
        try RunningProgram(
            HomeFixture.latch, ["download", "--to", home.folder.file("Pictures")] + more, environment: home.environment)
    }

    @Test("DL-17 on a metered network the download names the remedy, waits, and continues on another network")
    func metered() async throws {
        try await desktop.setNetwork(metered: 1)
        let program = try download("/files/one.bin")
        try await program.line(containing: "latch download --metered")
        #expect(!server.requests.contains { $0.path == "/files/one.bin" })
        try await desktop.setNetwork()
        #expect(await program.waitForExit() == 0, "\(program.output)")
        let home = FileManager.default.contents(atPath: home.folder.file("Pictures/one.bin"))
        #expect(home.map(Array.init) == Self.bytes)
    }

    @Test("DL-17 with --metered the download runs on a metered network and shows a notification")
    func meteredAllowed() async throws {
        try await desktop.setNetwork(metered: 1)
        let program = try download("/files/one.bin", "--metered")
        #expect(await program.waitForExit() == 0, "\(program.output)")
        try await desktop.call(.notifications) { $0.contains(#""Download complete" "1 item saved to gallery""#) }
    }

    @Test("DL-17 without --metered the stored setting decides whether the download runs on a metered network")
    func meteredAsStored() async throws {
        #expect(try await home.latch("downloads", "list").status == 0)
        _ = try await home.sql("UPDATE download_signals SET fetches_metered = 1")
        try await desktop.setNetwork(metered: 1)
        let program = try download("/files/one.bin")
        #expect(await program.waitForExit() == 0, "\(program.output)")
        #expect(try await home.sql("SELECT fetches_metered FROM download_signals") == "1\n")
    }

    @Test("DL-16 the machine may sleep again when a program that fetches a large file is killed")
    func killed() async throws {
        let program = try download("/files/film.mp4")
        try await desktop.waitForInhibitors(true)
        program.send(SIGKILL)
        try await desktop.waitForInhibitors(false)
        await program.waitForExit()
    }
}
