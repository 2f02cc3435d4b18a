import Crypto
import Foundation
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct ForeignAnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let codes: Set<LatchError.Code>
        let answer: ScriptedServer.Answer
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a proxy's login page, 200", codes: [.foreignAnswer], answer: .page(200)),
        Case(name: "a proxy's login page, 401", codes: [.foreignAnswer], answer: .page(401)),
        Case(name: "a proxy's login page, 403", codes: [.foreignAnswer], answer: .page(403)),
        Case(name: "a captive portal", codes: [.foreignAnswer], answer: .redirect("http://portal.invalid/login")),
        Case(name: "a portal's own status", codes: [.foreignAnswer], answer: .page(511)),
        Case(name: "a sign-in proxy on the same host", codes: [.foreignAnswer], answer: .redirect("/oauth2/start")),
        Case(name: "502", codes: [.serverError], answer: .page(502)),
        Case(name: "503 in JSON", codes: [.serverError], answer: .json(#"{"detail":"x"}"#, 503)),
        Case(
            name: "a foreign 401 that asks for Basic", codes: [.foreignAnswer],
            answer: .init(
                status: 401, headers: ["Content-Type": "application/json", "WWW-Authenticate": "Basic realm=x"],
                body: #"{"detail":"Unauthorized"}"#)),
        Case(name: "a foreign 401 in JSON", codes: [.foreignAnswer], answer: .json(#"{"error":"unauthorized"}"#, 401)),
        Case(
            name: "another program's bare Unauthorized", codes: [.foreignAnswer],
            answer: .json(#"{"detail":"Unauthorized"}"#, 401)),
        Case(name: "another program's 403", codes: [.foreignAnswer], answer: .json(#"{"detail":"Unauthorized"}"#, 403)),
        Case(name: "a portal that says yes to everything", codes: [.foreignAnswer], answer: .json("{}")),
        Case(
            name: "a portal that says ok in plain text", codes: [.foreignAnswer],
            answer: .init(headers: ["Content-Type": "text/plain"], body: "ok")),
        Case(name: "204 to everything", codes: [.foreignAnswer], answer: .init(status: 204, headers: [:])),
        Case(name: "JSON that breaks off", codes: [.foreignAnswer], answer: .json(#"{"access_token":"x","tok"#)),
        Case(
            name: "a proxy's word that begins as Onyx's", codes: [.foreignAnswer],
            answer: .json(#"{"error_code":"SESSION_REQUIRED","detail":"Sign in to the proxy"}"#, 401)),
        Case(name: "a closed connection", codes: [.connectionLost], answer: .silence),
    ]

    @Test("no answer but this server's own ends a session, and it is named (invariant 4)", arguments: cases)
    func foreign(_ foreign: Case) async throws {
        let world = try World()
        let latch = try await world.home.open()
        let account = try await world.signIn(latch)
        let session = try latch.session(for: account)
        world.wire.script { _ in foreign.answer }

        let atStart = await session.restore()
        #expect(atStart.isSignedIn)
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(foreign.codes.contains(error.code), "\(error.code): \(error)")
        #expect(error.message.contains("127.0.0.1"))
        let refused = try await #require(throws: LatchError.self) { try await session.refresh() }
        #expect(foreign.codes.contains(refused.code), "\(refused.code): \(refused)")
        world.home.clock.advance(by: 3_600)
        #expect(try await session.validToken().reveal() == "token-number-1")
        #expect(try await latch.accounts.activeAccount()?.isSignedIn == true)
        #expect(try await world.home.secrets.read(AccountStore.tokenKey(account.id)) != nil)

        world.wire.script { world.onyx.answer($0) }
        #expect(try await session.identity().email == "ada@example.org")
    }

    @Test("a name that is not found ends nothing")
    func nameNotFound() async throws {
        let world = try World()
        let latch = try await world.home.open()
        let server = Server(
            address: try ServerAddress("http://nowhere.invalid"), dialect: OnyxDialect(), features: ServerFeatures())
        let (account, _) = try await latch.accounts.keep(
            SignedIn(
                server: server, email: "ada@example.org", tokens: SessionTokens(Grant(token: Secret("t"))),
                refreshAfter: .distantPast, scopes: []))
        let session = try latch.session(for: account)

        #expect(await session.restore() == .signedIn(.unverified(.nameNotFound)))
        #expect(try await session.validToken().reveal() == "t")
    }

    @Test("an e-mail address that is not proved ends nothing when a renewal is forbidden")
    func unverified() async throws {
        let world = try World()
        let latch = try await world.home.open()
        let session = try latch.session(for: try await world.signIn(latch))
        world.onyx.intercept { $0.path == World.refresh ? .json(#"{"detail":"Forbidden"}"#, 403) : nil }
        world.home.clock.advance(by: 601)

        #expect(try await session.validToken().reveal() == "token-number-1")
        #expect(try await session.identity().email == "ada@example.org")
        #expect(try await session.client.send(.get, "/api/forbidden").status == .forbidden)
        #expect(session.state == .signedIn(.verified))
    }

    @Test("a bare Unauthorized ends the session only when the server itself confirms it")
    func confirmed() async throws {
        let world = try World()
        let latch = try await world.home.open()
        let account = try await world.signIn(latch)
        let session = try latch.session(for: account)
        _ = try await session.identity()
        world.onyx.intercept { $0.path == "/api/things" ? .json(#"{"detail":"Unauthorized"}"#, 401) : nil }

        #expect(try await session.client.send(.get, "/api/things").status == .unauthorized)
        #expect(session.state == .signedIn(.verified))

        world.onyx.intercept {
            // Word for word the server's own, relayed from another of its sessions.
            $0.path == "/api/things" ? .json(#"{"error_code":"SESSION_EXPIRED","detail":"x"}"#, 403) : nil
        }
        #expect(try await session.client.send(.get, "/api/things").status == .forbidden)
        #expect(session.state == .signedIn(.verified))

        world.onyx.intercept { request in
            request.path == "/api/auth/type" ? nil : .json(#"{"detail":"Unauthorized"}"#, 401)
        }
        let error = try await #require(throws: LatchError.self) { try await session.client.send(.get, "/api/things") }
        #expect(error.code == .sessionEnded)
    }
}
