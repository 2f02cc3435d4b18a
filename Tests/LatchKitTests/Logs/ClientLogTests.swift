import CLibrary
import Crypto
import Foundation
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct ClientLogTests {
    @Test("sign-ins, renewals, rejections, ends and sign-outs are logged with server, outcome and time")
    func actions() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.session(for: account).refresh()
        fixture.onyx.endAll()
        await #expect(throws: LatchError.self) { try await latch.session(for: account).identity() }
        let again = try await fixture.signIn(latch)
        _ = try await latch.signOut(again)
        _ = try await latch.probe(ServerAddress("http://127.0.0.1:1"))
        let server = try await latch.probe(fixture.address).requireServer()
        await #expect(throws: LatchError.self) {
            try await latch.signIn(PasswordSignIn(email: "eve@example.org", password: Secret("x")), to: server)
        }

        let entries = latch.log.entries()
        #expect(
            entries.map { "\($0.action.rawValue) \($0.outcome)" } == [
                "sign-in ok", "refresh ok", "rejected SESSION_TERMINATED", "ended SESSION_TERMINATED",
                "refresh session_ended", "sign-in ok", "sign-out ok", "probe connection_refused",
                "sign-in wrong_credentials",
            ])
        #expect(entries.allSatisfy { $0.program == "latch" && $0.process == Int(getpid()) })
        #expect(entries.filter { $0.action != .probe }.allSatisfy { $0.server == fixture.address.authority })
        #expect(entries.first?.milliseconds != nil)
    }

    @Test("a sign-in page instead of the server is logged for an identity request and for a call")
    func interceptedResponses() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.onyx.intercept { _ in .page(200) }
        await #expect(throws: LatchError.self) { try await session.identity() }
        await #expect(throws: LatchError.self) { try await session.client.send(.get, "/api/things") }
        fixture.onyx.intercept { _ in .json("{}", 200) }
        await #expect(throws: LatchError.self) { try await session.identity() }

        let entries = latch.log.entries().dropFirst()
        #expect(
            entries.map { "\($0.action.rawValue) \($0.outcome)" }
                == Array(repeating: "request foreign_answer", count: 3))
        #expect(entries.allSatisfy { $0.server == fixture.address.authority })
    }

    @Test("OX-16 no secret, path, query or name is in the file after all kinds of actions")
    func secrets() async throws {
        let fixture = try OnyxFixture()
        let person = BrowserPerson(home: fixture.home)
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "open-sesame-1"]))
        let client = try latch.session(for: account).client
        _ = try await client.send(.get, "/api/things?key=hush-query")
        _ = try await client.cached("/api/things/hush-path")
        try await latch.session(for: account).refresh()
        fixture.onyx.intercept { request in
            if request.path == "/api/auth/type" { return .json(#"{"multi_tenant":false,"oauth_enabled":true}"#) }
            if request.path.hasPrefix("/api/things") {
                return .json(#"{"error_code":"SESSION_hush reason token-number-1","detail":"hush detail"}"#, 401)
            }
            return nil
        }
        _ = try? await client.send(.get, "/api/things?key=hush-query")
        let server = try await latch.probe(fixture.address).requireServer()
        async let browser = latch.signIn(person.signIn(), to: server)
        try person.open(await person.link(from: await person.address()))
        _ = try await browser
        _ = try await latch.signOut(account)

        let text = try String(contentsOfFile: fixture.home.folders.log, encoding: .utf8)
        #expect(text.contains("browser-sign-in"))
        for secret in ["token-number-", "code-number-", "open-sesame-1", "correct horse"] {
            #expect(!text.leaks(secret), "\(secret)")
        }
        for content in ["hush", "ada", "example.org", "/api", "state="] {
            #expect(!text.contains(content), "\(content)")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.home.folders.log)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    @Test("many programs write concurrently; no line is lost or mixed, and the files are bounded")
    func concurrentWriters() async throws {
        let folder = try TemporaryDirectory()
        let address = try ServerAddress("photos.example.org")
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    let log = ClientLog(path: folder.file("s/client.log"), program: "p\(writer)", now: { Date() })
                    for number in 0..<100 {
                        log.record(.refresh, at: address, outcome: "n\(number)", after: .milliseconds(number))
                    }
                }
            }
        }
        let log = ClientLog(path: folder.file("s/client.log"), program: "x", now: { Date() })
        let entries = log.entries()
        #expect(entries.count == 800)
        for writer in 0..<8 {
            #expect(entries.filter { $0.program == "p\(writer)" }.map(\.outcome) == (0..<100).map { "n\($0)" })
        }

        let small = ClientLog(path: folder.file("small.log"), program: "x", now: { Date() }, largest: 2_000)
        for number in 0..<200 { small.record(.refresh, at: address, outcome: "n\(number)") }
        let remaining = small.entries()
        #expect(remaining.last?.outcome == "n199" && remaining.count < 60 && remaining.count > 10)
        #expect(remaining.map(\.outcome) == ((200 - remaining.count)..<200).map { "n\($0)" })
        try small.clear()
        #expect(small.entries().isEmpty)
        small.record(.probe, at: address, outcome: "ok")
        #expect(small.entries().count == 1)
    }

    @Test("a log that is turned off or not writable prevents no action")
    func disabledLog() async throws {
        let folder = try TemporaryDirectory()
        let address = try ServerAddress("photos.example.org")
        ClientLog(path: nil, program: "x", now: { Date() }).record(.probe, at: address, outcome: "ok")
        try folder.write("", to: "file")
        let log = ClientLog(path: folder.file("file/client.log"), program: "x", now: { Date() })
        log.record(.probe, at: address, outcome: "ok")
        #expect(log.entries().isEmpty)
        try folder.write("no json\n{}\n", to: "other")
        #expect(ClientLog(path: folder.file("other"), program: "x", now: { Date() }).entries().isEmpty)
    }
}
