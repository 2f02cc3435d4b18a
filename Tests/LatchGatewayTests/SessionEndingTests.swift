import Database
import FoundationEssentials
import HTTPMessages
import OAuth
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

    /// Signs in the browser and a client in it, and then another browser. Returns the sessions in this order.
    private static func signIns(_ fixture: OAuthFixture) async throws -> [SessionID] {
        let sessions = fixture.gateway.gateway.stores.sessions
        let ada = try await fixture.gateway.gateway.stores.people.require(GatewayFixture.email).id
        var ids: [SessionID] = []
        func add() async throws {
            let new = try await sessions.live(of: ada).map(\.id).filter { !ids.contains($0) }
            ids.append(try #require(new.first))
            fixture.gateway.clock.advance(1)
        }
        _ = try await fixture.browser.signIn()
        try await add()
        _ = try await fixture.tokens()
        try await add()
        return ids
    }

    /// Allows a device with the dialect of Immich, and returns its token.
    private static func allowDevice(_ fixture: OAuthFixture) async throws -> String {
        let codes = try await fixture.codes([("client_id", "latch"), ("dialect", "immich"), ("scope", nil)])
        _ = try await fixture.decide(onDevice: codes.userCode)
        return try await fixture.poll(codes, [("client_id", "latch")]).token.orThrow
    }

    private static func live(_ fixture: OAuthFixture) async throws -> Set<SessionID> {
        let stores = fixture.gateway.gateway.stores
        return Set(try await stores.sessions.live(of: stores.people.require(GatewayFixture.email).id).map(\.id))
    }

    private static func end(_ session: SessionID, _ browser: PageBrowser) async throws -> String? {
        try await browser.submit("/latch/account/devices/\(session)/end", on: "/latch/account").next
    }

    @Test("ending a session of a browser ends the clients that were allowed in it")
    func clientsOfStolen() async throws {
        try await OAuthFixture.with { fixture in
            let stolen = try await Self.signIns(fixture)
            let owner = fixture.browser.another
            _ = try await owner.signIn()
            let kept = try await Self.live(fixture).subtracting(stolen)
            #expect(kept.count == 1 && stolen.count == 2)
            fixture.gateway.clock.advance(11 * minute)
            #expect(try await Self.end(stolen[0], owner) == "/latch/account?done=device-apps")
            #expect(try await owner.get("/latch/account?done=device-apps").text.contains("and so are the apps"))
            #expect(try await Self.live(fixture) == kept)
            let ended = fixture.gateway.lines.audit.filter { $0["reason"]?.string == "from-another" }
            #expect(ended.count >= 2)
        }
    }

    @Test("ending a session ends the devices that were allowed in it, with what was created from them")
    func devicesOfStolen() async throws {
        try await OAuthFixture.withDialectDevices { fixture in
            let stolen = try await Self.signIns(fixture)
            let token = try await Self.allowDevice(fixture)
            let created = try await fixture.gateway.http.send(
                "POST", "/im/sessions", headers: GatewayFixture.bearer(token) + [("Content-Type", "application/json")],
                body: "{}")
            let child = try (created.json?["token"]?.string).orThrow
            let owner = fixture.browser.another
            _ = try await owner.signIn()
            #expect(try await Self.live(fixture).count == 5)
            #expect(try await Self.end(stolen[0], owner) == "/latch/account?done=device-apps")
            #expect(try await Self.live(fixture).count == 1)
            for token in [token, child] {
                let answer = try await fixture.gateway.http.send(
                    "GET", "/im/users/me", headers: GatewayFixture.bearer(token))
                #expect(answer.status == 401)
            }
        }
    }

    @Test("OX-6 a stolen refresh token of an app ends what was allowed in its session", arguments: [true, false])
    func stolenRefreshToken(isStolen: Bool) async throws {
        try await ClientSessionFixture.with { fixture in
            let first = try await fixture.issue()
            let device = try await fixture.base.gateway.issuer.issue(
                for: fixture.person, device: SessionDevice(), authenticated: .distantPast
            ).session
            try await fixture.stores.sessions.record(browser: first.session, of: device)
            let second = try await fixture.renewed(first.refreshToken)
            _ = try await fixture.renewed(second.refreshToken)
            let old = isStolen ? first.refreshToken : second.refreshToken
            #expect(try await fixture.refresh(old).isStolen == isStolen)
            let live = try await fixture.stores.sessions.live(of: fixture.person.id).map(\.id)
            #expect(live.contains(device) != isStolen && live.contains(first.session) != isStolen)
        }
    }

    @Test("a device has no session if the one in which it was allowed ends at the same time", arguments: [false, true])
    func deviceOfEndedSession(isDisplaced: Bool) async throws {
        try await GatewayFixture.with({ $0.sessions.maximumPerPerson = isDisplaced ? 1 : 10 }) { fixture in
            _ = try await fixture.addPerson()
            let (stores, issuer) = (fixture.gateway.stores, fixture.gateway.issuer)
            let ada = try await stores.people.require(GatewayFixture.email)
            let browser = try await issuer.issue(for: ada, device: SessionDevice()).session
            fixture.clock.advance(1)
            let device = try await issuer.issue(for: ada, device: SessionDevice(), authenticated: .distantPast).session
            if isDisplaced {
                // The device's own session has displaced it.
                try await stores.sessions.record(browser: browser, of: device)
                #expect(try await stores.sessions.live(of: ada.id).map(\.id) == [device])
                return
            }
            try await stores.sessions.revoke(browser)
            let error = await #expect(throws: GatewayError.self) {
                try await stores.sessions.record(browser: browser, of: device)
            }
            #expect(error?.code == .sessionEnded)
            #expect(try await stores.sessions.live(of: ada.id).isEmpty)
        }
    }

    @Test("an old session ends an older one with the clients that began in it later, and those of no newer session")
    func newerClients() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            let old = try #require(try await Self.live(fixture).first)
            fixture.gateway.clock.advance(1)
            let asking = fixture.browser.another
            _ = try await asking.signIn()
            let kept = try await Self.live(fixture).subtracting([old])
            fixture.gateway.clock.advance(1)
            _ = try await fixture.tokens()
            fixture.gateway.clock.advance(11 * minute)
            #expect(try await Self.end(old, asking) == "/latch/account?done=device-apps")
            #expect(try await Self.live(fixture) == kept)
        }
    }

    @Test("a device that was allowed in a session ends no other sessions")
    func device() async throws {
        try await OAuthFixture.withDialectDevices { fixture in
            _ = try await fixture.browser.signIn()
            let older = try #require(try await Self.live(fixture).first)
            fixture.gateway.clock.advance(1)
            let token = try await Self.allowDevice(fixture)
            let path = "/im/sessions/\(older.uuid.uuidString.lowercased())"
            let response = try await fixture.gateway.http.send("DELETE", path, headers: GatewayFixture.bearer(token))
            #expect(response.status == 403)
            #expect(try await Self.live(fixture).contains(older))
        }
    }

    @Test("signing out of a browser keeps its clients, and ends one of them without a recent sign-in")
    func ownClients() async throws {
        try await OAuthFixture.with { fixture in
            let own = try await Self.signIns(fixture)
            _ = try await fixture.tokens()
            let all = try await Self.live(fixture)
            fixture.gateway.clock.advance(11 * minute)
            #expect(try await Self.end(own[1], fixture.browser) == "/latch/account?done=device")
            #expect(try await Self.live(fixture) == all.subtracting([own[1]]))
            _ = try await fixture.browser.submit("/latch/sign-out", on: "/latch/account")
            #expect(try await Self.live(fixture) == all.subtracting(own))
        }
    }

    @Test("an operator who revokes a session revokes the clients that began in it")
    func revoked() async throws {
        try await OAuthFixture.with { fixture in
            let sessions = try await Self.signIns(fixture)
            #expect(
                try await fixture.gateway.gateway.stores.sessions.revoke(sessions[0]) == RevokedAccess(sessions: 2))
            #expect(try await Self.live(fixture).isEmpty)
        }
    }
}
