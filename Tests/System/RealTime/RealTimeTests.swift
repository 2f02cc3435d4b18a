import CLibrary
import Foundation
import TestSupport
import Testing

/// `latch watch` at a server of python-socketio that sends Immich's events, and breaks every rule.
@Suite("Real time", .blocking, .inTurn, .timeLimit(.minutes(4)))
struct RealTimeTests {
    @Test("IM-6 latch watch prints events, survives a server that breaks the rules, and stops on Ctrl-C")
    func watch() async throws {
        let (fixture, server) = (try SystemFixture(), try await Self.server("drop", "garbage", "huge", "events"))
        try await Self.signIn(fixture, server.port)

        let watching = try RunningProgram(
            try Products.path("latch"), ["watch", "--json"], environment: fixture.environment)
        try await watching.line(containing: "on_person_thumbnail")
        watching.send(SIGINT)

        #expect(await watching.waitForExit() == 130)
        let output = watching.output
        for text in [
            #""event":"serverVersion","version":"3.1.0""#, #""event":"assetsAdded","ids":["asset-1"]"#,
            #""event":"assetsTrashed","ids":["asset-1","asset-2"]"#,
            #""event":"other","name":"on_person_thumbnail","arguments":["person-1"]"#,
            "a message that is not of Socket.IO", "a message of more than 262144 bytes",
        ] { #expect(output.contains(text), "\(output)") }
        #expect(!output.leaks("the-token-of-the-only-session"))
    }

    @Test("IM-6 A session that is ended elsewhere ends here at once", arguments: ["revoke", "expire"])
    func ended(_ step: String) async throws {
        let (fixture, server) = (try SystemFixture(), try await Self.server(step))
        try await Self.signIn(fixture, server.port)

        let result = try await fixture.latch("watch")

        #expect(result.status == 77, "\(result.errors)")
        #expect(result.output.hasPrefix("connected\n"))
        #expect(result.errors.contains("because the server no longer knows the session"))
        #expect(try fixture.files(holding: "the-token-of-the-only-session").isEmpty)
    }

    @Test("IM-6 A refusal alone does not end the session")
    func refused() async throws {
        let (fixture, server) = (try SystemFixture(), try await Self.server("refuse", "events"))
        try await Self.signIn(fixture, server.port)

        let watching = try RunningProgram(try Products.path("latch"), ["watch"], environment: fixture.environment)
        try await watching.line(containing: "moved to the trash: asset-1 asset-2")

        #expect(watching.output.contains("disconnected: The server refused the connection."))
        #expect(try await fixture.latch("whoami").status == 0)
    }

    @Test("IM-6 DL-1 latch download --all --follow fetches a picture that appears, with one search for many events")
    func follow() async throws {
        let (fixture, server) = (try SystemFixture(), try await Self.server("upload"))
        try await Self.signIn(fixture, server.port)
        let folder = fixture.folder.file("library")

        let following = try RunningProgram(
            try Products.path("latch"), ["download", "--all", "--follow", "--to", folder],
            environment: fixture.environment)
        try await following.line(containing: "IMG_0002.JPG")
        following.send(SIGINT)

        #expect(await following.waitForExit() == 130, "\(following.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".JPG") }.count == 2)
        let searches = server.program.output.split(separator: "\n").filter { $0.hasPrefix("search") }
        #expect(searches.count == 2 && searches[0] == "search None" && searches[1].hasPrefix("search 20"))
    }

    private static func server(_ steps: String...) async throws -> (program: RunningProgram, port: Int) {
        let program = try RunningProgram(
            try Schemathesis.tool("python"),
            // The first connection is that of the sign-in.
            [Products.packageFolder + "/Tests/Programs/ImmichClients/real_time_server.py", "idle"] + steps,
            environment: Schemathesis.environment)
        let line = try await program.line(containing: "port ")
        return (program, try #require(Int(line.dropFirst("port ".count))))
    }

    private static func signIn(_ fixture: SystemFixture, _ port: Int) async throws {
        let result = try await fixture.latch(
            "login", "http://127.0.0.1:\(port)", "--email", "ada@example.org", "--password-stdin", input: "secret\n")
        #expect(result.status == 0, "\(result.errors)")
    }
}
