import Foundation
import HTTPClient
import HTTPMessages
import LatchSandbox
import Synchronization
import TestSupport
import Testing

/// What a browser that signed in before is asked.
@Suite(.timeLimit(.minutes(20))) struct BrowserSessionTests {
    private func cookie(_ response: ClientResponse) throws -> String {
        let field = try #require(response.headers["Set-Cookie"])
        #expect(field.contains("; HttpOnly; SameSite=Lax"))
        return String(field.prefix { $0 != ";" })
    }

    @Test("prompt=none without a session returns login_required without a page")
    func withoutSession() async throws {
        try await RelyingApp.with { app in
            let callbackFields = try RelyingApp.callbackFields(await app.open(app.address(["prompt": "none"])))
            #expect(callbackFields["error"] == "login_required" && callbackFields["state"] == "the state")
        }
    }

    @Test("prompt=none with a session and consent returns a code at once")
    func silent() async throws {
        try await RelyingApp.with { app in
            let cookie = try cookie(await app.fill(app.address()))
            let callbackFields = try RelyingApp.callbackFields(
                await app.open(app.address(["prompt": "none"]), cookie: cookie))
            let tokens = try JSONValue(parsing: await app.redeem(callbackFields["code"] ?? "").body)
            #expect(try RelyingApp.claims(tokens)["sub"] == "ada")
        }
    }

    @Test("prompt=none returns consent_required for further scopes, and login_required for another person")
    func interactionRequired() async throws {
        try await RelyingApp.with { app in
            let cookie = try cookie(await app.fill(app.address(), more: [("consent", "shown"), ("share", "email")]))
            let more = try await app.open(app.address(["prompt": "none"]), cookie: cookie)
            #expect(try RelyingApp.callbackFields(more)["error"] == "consent_required")
            let other = try await app.open(
                app.address(["prompt": "none", "login_hint": "bob@example.org"]), cookie: cookie)
            #expect(try RelyingApp.callbackFields(other)["error"] == "login_required")
        }
    }

    @Test("A session requires no password, except with prompt=login or an exceeded max_age")
    func password() async throws {
        let clock = Mutex(Date())
        try await RelyingApp.with(configure: { $0.now = { clock.withLock { $0 } } }) { app in
            let cookie = try cookie(await app.fill(app.address()))
            clock.withLock { $0 += 10 }

            func again(_ changes: [String: String?], email: String = "ada@example.org") async throws -> HTTPStatus {
                try await app.fill(app.address(changes), email: email, password: "", cookie: cookie).status
            }
            #expect(try await again([:]) == .seeOther)
            #expect(try await again(["max_age": "60"]) == .seeOther)
            #expect(try await again(["prompt": "login"]) == .forbidden)
            #expect(try await again(["max_age": "5"]) == .forbidden)
            #expect(try await again([:], email: "bob@example.org") == .forbidden)
            clock.withLock { $0 += 8 * 3600 }
            #expect(try await again([:]) == .forbidden)
        }
    }
}
