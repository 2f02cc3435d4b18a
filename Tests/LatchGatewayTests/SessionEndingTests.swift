import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// Which sessions of a person a session may end. A stolen session must not end each new session of the person.
@Suite(.timeLimit(.minutes(20)))
struct SessionEndingTests {
    private static func with(_ body: (ImmichFixture) async throws -> Void) async throws {
        try await ImmichFixture.with({ $0.pages.isEnabled = true }, body)
    }

    /// The id of the session of a token, as Immich's clients know it.
    private static func id(_ token: String, _ fixture: ImmichFixture) async throws -> String {
        let sessions = try await fixture.send("GET", "/sessions", token).json?.array
        return try (sessions?.first { $0["current"] == true }?["id"]?.string).orThrow
    }

    private static func child(_ token: String, _ fixture: ImmichFixture) async throws -> String {
        try (try await fixture.send("POST", "/sessions", token, [:]).json?["token"]?.string).orThrow
    }

    @Test("without a recent sign-in, a session ends and locks only itself, its children and older sessions")
    func immich() async throws {
        try await Self.with { fixture in
            let oldest = try await fixture.token()
            fixture.base.clock.advance(1)
            let old = try await fixture.token()
            let (child, sibling) = (try await Self.child(old, fixture), try await Self.child(old, fixture))
            fixture.base.clock.advance(11 * minute)
            let new = try await fixture.token()
            let newChild = try await Self.child(new, fixture)
            fixture.base.clock.advance(11 * minute)

            for (token, target) in [
                (old, new), (old, newChild), (child, new), (child, newChild), (child, old), (child, sibling),
                (oldest, old), (oldest, child),
            ] {
                let path = "/sessions/\(try await Self.id(target, fixture))"
                for (method, path) in [("DELETE", path), ("POST", path + "/lock")] {
                    let refused = try await fixture.send(method, path, token)
                    #expect(refused.status == 403)
                    #expect(refused.refusal?.hasPrefix("Sign in again first: ending or locking a session") == true)
                }
                #expect(try await fixture.send("GET", "/users/me", target).status == 200)
            }

            for (token, target) in [(old, sibling), (new, old), (new, newChild), (new, oldest), (new, new)] {
                let path = "/sessions/\(try await Self.id(target, fixture))"
                #expect(try await fixture.send("POST", path + "/lock", token).status == 204)
                #expect(try await fixture.send("DELETE", path, token).status == 204)
                #expect(try await fixture.send("GET", "/users/me", target).status == 401)
            }
        }
    }

    @Test("a session with a recent sign-in ends a newer one")
    func recent() async throws {
        try await Self.with { fixture in
            let old = try await fixture.token()
            fixture.base.clock.advance(9 * minute)
            let new = try await fixture.token()
            let path = "/sessions/\(try await Self.id(new, fixture))"
            #expect(try await fixture.send("DELETE", path, old).status == 204)
        }
    }

    @Test("on the pages, ending a newer session needs a recent sign-in, and ending an older one does not")
    func pages() async throws {
        try await Self.with { fixture in
            let (stolen, owner) = (PageBrowser(fixture.base), PageBrowser(fixture.base))
            let sessions = fixture.base.gateway.stores.sessions
            let ada = try await fixture.person().id
            _ = try await stolen.signIn()
            let old = try #require(try await sessions.live(of: ada).first).id
            fixture.base.clock.advance(11 * minute)
            _ = try await owner.signIn()
            let new = try #require(try await sessions.live(of: ada).first { $0.id != old }).id
            fixture.base.clock.advance(11 * minute)
            func end(_ session: SessionID, _ browser: PageBrowser) async throws -> String? {
                try await browser.submit("/latch/account/devices/\(session)/end", on: "/latch/account").next
            }

            #expect(try await end(new, stolen)?.hasSuffix("&again=1") == true)
            #expect(try await sessions.live(of: ada).count == 2)
            #expect(try await end(old, owner) == "/latch/account?done=device")
            #expect(try await sessions.live(of: ada).map(\.id) == [new])
        }
    }

    @Test("removing an app needs a recent sign-in if the app signed in later in another session")
    func apps() async throws {
        try await OAuthFixture.with { fixture in
            let (stolen, owner) = (fixture.browser.another, fixture.browser)
            let stores = fixture.gateway.gateway.stores
            let ada = try await stores.people.require(GatewayFixture.email).id
            _ = try await stolen.signIn()
            fixture.gateway.clock.advance(11 * minute)
            _ = try await fixture.tokens()
            fixture.gateway.clock.advance(11 * minute)
            func remove(_ browser: PageBrowser) async throws -> String? {
                try await browser.submit("/latch/account/apps/app/remove", on: "/latch/account").next
            }

            #expect(try await remove(stolen)?.hasSuffix("&again=1") == true)
            #expect(try await stores.clients.allowed(by: ada).map(\.sessions) == [1])
            #expect(try await remove(owner) == "/latch/account?done=app")
            #expect(try await stores.clients.allowed(by: ada).isEmpty)
            #expect(try await stores.sessions.live(of: ada).count == 2)
        }
    }
}
