import Crypto
import Foundation
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct InterceptedResponseTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let codes: Set<LatchError.Code>
        let response: ScriptedServer.Response
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a proxy's login page, 200", codes: [.interceptedResponse], response: .page(200)),
        Case(name: "a proxy's login page, 401", codes: [.interceptedResponse], response: .page(401)),
        Case(name: "a proxy's login page, 403", codes: [.interceptedResponse], response: .page(403)),
        Case(
            name: "a captive portal", codes: [.interceptedResponse], response: .redirect("http://portal.invalid/login")),
        Case(name: "a portal's own status", codes: [.interceptedResponse], response: .page(511)),
        Case(
            name: "a sign-in proxy on the same host", codes: [.interceptedResponse],
            response: .redirect("/oauth2/start")),
        Case(name: "502", codes: [.serverError], response: .page(502)),
        Case(name: "503 in JSON", codes: [.serverError], response: .json(#"{"detail":"x"}"#, 503)),
        Case(
            name: "a foreign 401 that asks for Basic", codes: [.interceptedResponse],
            response: .init(
                status: 401, headers: ["Content-Type": "application/json", "WWW-Authenticate": "Basic realm=x"],
                body: #"{"detail":"Unauthorized"}"#)),
        Case(
            name: "a foreign 401 in JSON", codes: [.interceptedResponse],
            response: .json(#"{"error":"unauthorized"}"#, 401)),
        Case(
            name: "another program's bare Unauthorized", codes: [.interceptedResponse],
            response: .json(#"{"detail":"Unauthorized"}"#, 401)),
        Case(
            name: "another program's 403", codes: [.interceptedResponse],
            response: .json(#"{"detail":"Unauthorized"}"#, 403)),
        Case(name: "a portal that says yes to everything", codes: [.interceptedResponse], response: .json("{}")),
        Case(
            name: "a portal that says ok in plain text", codes: [.interceptedResponse],
            response: .init(headers: ["Content-Type": "text/plain"], body: "ok")),
        Case(name: "204 to everything", codes: [.interceptedResponse], response: .init(status: 204, headers: [:])),
        Case(
            name: "JSON that breaks off", codes: [.interceptedResponse], response: .json(#"{"access_token":"x","tok"#)),
        Case(
            name: "a proxy's word that begins as Onyx's", codes: [.interceptedResponse],
            response: .json(#"{"error_code":"SESSION_REQUIRED","detail":"Sign in to the proxy"}"#, 401)),
        Case(name: "a closed connection", codes: [.connectionLost], response: .silence),
    ]

    @Test("intercepted responses end no session, and the error names their origin (invariant 4)", arguments: cases)
    func endsNoSession(_ row: Case) async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        fixture.wire.script { _ in row.response }

        let atStart = await session.restore()
        #expect(atStart.isSignedIn)
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(row.codes.contains(error.code), "\(error.code): \(error)")
        #expect(error.message.contains("127.0.0.1"))
        let refused = try await #require(throws: LatchError.self) { try await session.refresh() }
        #expect(row.codes.contains(refused.code), "\(refused.code): \(refused)")
        fixture.home.clock.advance(by: 3_600)
        #expect(try await session.validToken().reveal() == "token-number-1")
        #expect(try await latch.accounts.activeAccount()?.isSignedIn == true)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) != nil)

        fixture.wire.script { fixture.onyx.response($0) }
        #expect(try await session.identity().email == "ada@example.org")
    }

    @Test("an unknown host name ends no session")
    func nameNotFound() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let server = Server(
            address: try ServerAddress("http://nowhere.invalid"), dialect: OnyxDialect(), features: ServerFeatures())
        let (account, _) = try await latch.accounts.storeSignIn(
            SignedIn(
                server: server, email: "ada@example.org", tokens: SessionTokens(Grant(token: Secret("t"))),
                refreshAfter: .distantPast, scopes: []))
        let session = try latch.session(for: account)

        #expect(await session.restore() == .signedIn(.unverified(.nameNotFound)))
        #expect(try await session.validToken().reveal() == "t")
    }

    @Test("an unverified e-mail address that forbids a renewal ends no session")
    func unverified() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.onyx.intercept { $0.path == OnyxFixture.refresh ? .json(#"{"detail":"Forbidden"}"#, 403) : nil }
        fixture.home.clock.advance(by: 601)

        #expect(try await session.validToken().reveal() == "token-number-1")
        #expect(try await session.identity().email == "ada@example.org")
        #expect(try await session.client.send(.get, "/api/forbidden").status == .forbidden)
        #expect(session.state == .signedIn(.verified))
    }

    @Test("a bare Unauthorized ends the session only when the server itself confirms it")
    func confirmed() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        _ = try await session.identity()
        fixture.onyx.intercept { $0.path == "/api/things" ? .json(#"{"detail":"Unauthorized"}"#, 401) : nil }

        #expect(try await session.client.send(.get, "/api/things").status == .unauthorized)
        #expect(session.state == .signedIn(.verified))

        fixture.onyx.intercept {
            // Word for word the server's own, relayed from another of its sessions.
            $0.path == "/api/things" ? .json(#"{"error_code":"SESSION_EXPIRED","detail":"x"}"#, 403) : nil
        }
        #expect(try await session.client.send(.get, "/api/things").status == .forbidden)
        #expect(session.state == .signedIn(.verified))

        fixture.onyx.intercept { request in
            request.path == "/api/auth/type" ? nil : .json(#"{"detail":"Unauthorized"}"#, 401)
        }
        let error = try await #require(throws: LatchError.self) { try await session.client.send(.get, "/api/things") }
        #expect(error.code == .sessionEnded)
    }
}
