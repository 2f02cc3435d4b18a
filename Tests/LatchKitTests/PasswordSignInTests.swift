import Crypto
import Foundation
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct PasswordSignInTests {
    struct Case: Sendable {
        let response: ScriptedServer.Response
        let code: LatchError.Code
        let words: String
    }

    static let cases = [
        Case(
            response: .json(#"{"detail":"LOGIN_BAD_CREDENTIALS"}"#, 400), code: .wrongCredentials, words: "Login failed"
        ),
        Case(
            response: .json(#"{"detail":"PASSWORD_LOGIN_DISABLED"}"#, 403), code: .passwordLoginDisabled,
            words: "password"),
        Case(
            response: .json(#"{"detail":"NO_WEB_LOGIN_AND_HAS_NO_PASSWORD"}"#, 403), code: .passwordLoginDisabled,
            words: "no password"),
        Case(
            response: .init(
                status: 429, headers: ["Content-Type": "application/json", "Retry-After": "17"],
                body: #"{"detail":"Too Many Requests"}"#), code: .rateLimited, words: "17 seconds"),
        Case(
            response: .json(#"{"status_code":422,"message":"username: field required","data":null}"#, 422),
            code: .serverRefused, words: "username: field required"),
        Case(
            response: .json(#"{"message":"seat\u001b[2J limit"}"#, 402), code: .serverRefused, words: "seat [2J limit"),
        Case(response: .page(502), code: .serverError, words: "502"),
        Case(response: .page(200), code: .interceptedResponse, words: "web page"),
        Case(response: .redirect("https://sso.invalid/"), code: .interceptedResponse, words: "sso.invalid"),
        Case(response: .json(#"{"detail":"Not Found"}"#, 404), code: .unsupportedServer, words: "update"),
        Case(
            response: .json(#"{"access_token":"a b","token_type":"bearer"}"#), code: .interceptedResponse,
            words: "status 200"),
        Case(response: .silence, code: .connectionLost, words: "was lost"),
    ]

    @Test("IM-16 each refusal has its code, and a message with the remedy", arguments: cases)
    func refusals(_ refusal: Case) async throws {
        let fixture = try OnyxFixture()
        fixture.onyx.intercept { $0.path.hasSuffix("/login") ? refusal.response : nil }
        let latch = try await fixture.home.open()

        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }

        #expect(error.code == refusal.code, "\(error.code)")
        #expect(error.message.contains(refusal.words), "\(error.message)")
        #expect(!error.message.leaks("correct horse"))
        #expect(try await latch.accounts.accounts().isEmpty)
        #expect(error.code != .rateLimited || error.retryAfter == .seconds(17))
    }

    @Test("IM-3 IM-17 OX-10 a typed address is probed, and stored in normalized form after a response")
    func typedAddress() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let typed = try ServerAddress("  HTTP://127.0.0.1:\(fixture.wire.port)/api/ ")
        fixture.onyx.intercept { _ in .page(200) }
        #expect(try await latch.probe(typed).server == nil)
        #expect(try await latch.accounts.rowIDs().isEmpty)
        fixture.onyx.intercept(nil)
        // Other families have looked for their own servers too.
        let asked = fixture.wire.requests.count

        let server = try await latch.probe(typed).requireServer()
        let signIn = try PasswordSignIn(email: " Ada@Example.org ", password: Secret("correct horse"))
        _ = try await latch.signIn(signIn, to: server)
        await latch.close()

        let requests = fixture.wire.requests
        // The second is asked for before a sign-in, to find out whether a gateway binds tokens to keys.
        #expect(
            requests.dropFirst(asked).allSatisfy {
                $0.path.hasPrefix("/api/") || $0.path == "/.well-known/latchd/api"
            })
        #expect(!requests.contains { $0.path.hasPrefix("/api/api") })
        let stored = try #require(try await fixture.home.open().accounts.accounts().first)
        #expect(
            stored.serverURL.url == "http://127.0.0.1:\(fixture.wire.port)" && stored.userEmail == "ada@example.org")
    }

    @Test("no password is sent to a server without password sign-in")
    func notOffered() async throws {
        let fixture = try OnyxFixture()
        fixture.onyx.intercept {
            $0.path.hasSuffix("/type") ? .json(#"{"multi_tenant":false,"password_auth_enabled":false}"#) : nil
        }
        let error = try await #require(throws: LatchError.self) {
            try await fixture.signIn(try await fixture.home.open())
        }
        #expect(error.code == .passwordLoginDisabled)
        #expect(fixture.wire.requests.allSatisfy { $0.body.isEmpty })
    }

    @Test("if the secret store refuses the token, nothing is left here or on the server")
    func storeRefuses() async throws {
        let fixture = try OnyxFixture()
        let store = LockableStore()
        let latch = try await fixture.home.open(secrets: store)
        store.fail(.locked)

        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }

        #expect(error.code == .secretStoreLocked)
        #expect(fixture.onyx.live.isEmpty)
        #expect(try await latch.accounts.accounts().isEmpty)
    }

    @Test("signing in again replaces the session, and the old one ends on the server")
    func again() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let first = try await fixture.signIn(latch)
        let session = try latch.session(for: first)
        #expect(try await session.validToken().reveal() == "token-number-1")

        let second = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "k"]))

        #expect(second.id == first.id)
        #expect(fixture.onyx.live == ["token-number-2"])
        #expect(try await session.validToken().reveal() == "token-number-2")
        #expect(try await session.identity().name == "Ada")
        #expect(fixture.wire.requests.last?.headers["X-Key"] == "k")
    }
}
