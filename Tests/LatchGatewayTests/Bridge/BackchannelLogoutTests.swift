import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import OpenIDConnect
@testable import SignInBridge

/// Back-channel logout without the Immich dialect.
@Suite(.timeLimit(.minutes(20)))
struct BackchannelLogoutTests {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    private func token(
        _ id: String, subject: String? = nil, session: String? = nil, _ fixture: BridgeFixture
    ) throws -> String {
        let now = fixture.base.clock.now.timeIntervalSince1970
        let members: [JSONValue.Member?] = [
            .init("iss", .string(try fixture.google.issuer)), .init("aud", .string(SmallProvider.clientID)),
            .init("iat", .number(now)), .init("jti", .string(id)), .init("events", .object([.init(Self.event, [:])])),
            subject.map { .init("sub", .string($0)) }, session.map { .init("sid", .string($0)) },
        ]
        return try fixture.google.sign(.object(members.compactMap(\.self)))
    }

    private func send(_ token: String, _ fixture: BridgeFixture) async throws -> Exchange.Response {
        try await fixture.base.http.send(
            "POST", "/api/auth/oauth/backchannel-logout", headers: [("Content-Type", FormURLEncoded.mediaType)],
            body: FormURLEncoded.encode([("logout_token", token)]))
    }

    private static func account(_ session: String) -> SmallProvider.Account {
        var account = SmallProvider.Account()
        account.sessionID = session
        return account
    }

    private func app(_ session: String, _ fixture: BridgeFixture) async throws -> String {
        let app = AppSignIn()
        let fields = try await fixture.deepLink(app, as: Self.account(session))
        return try await fixture.exchange(fields["code"], app.verifier).token.orThrow
    }

    /// The token of a browser that signed in with the button of the page.
    private func browser(_ session: String, _ fixture: BridgeFixture) async throws -> String {
        let person = PageBrowser(fixture.base)
        let text = try await person.get("/latch/sign-in").text
        let link = String(try (text.firstMatch(of: /href="([^"]*google\/authorize[^"]*)"/)?.1).orThrow)
        let start = try await person.get(link.replacing("&amp;", with: "&"))
        let request = try fixture.google.request(start.headers["Location"]).orThrow
        _ = try await fixture.returnToGateway(
            try fixture.google.approve(request, Self.account(session)), in: person.browser)
        return try person.browser.cookies["latchd_session"].orThrow
    }

    private func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (BridgeFixture) async throws -> Void
    ) async throws {
        try await BridgeFixture.with(
            ["google"],
            {
                $0.pages.isEnabled = true
                change(&$0)
            }
        ) { fixture in
            try await fixture.base.addPerson()
            try await body(fixture)
        }
    }

    private func isLive(_ token: String, _ fixture: BridgeFixture) async throws -> Bool {
        try await fixture.base.gateway.issuer.authenticateSigned(token).isValid
    }

    @Test(
        "the end of a session at the provider ends only the sessions here that belong to it")
    func bySession() async throws {
        for hasSubject in [false, true] {
            try await with { fixture in
                let ended = [try await app("one", fixture), try await browser("one", fixture)]
                let unaffected = [
                    try await app("two", fixture), try await browser("two", fixture), try await fixture.base.token(),
                ]
                let text = try token("a", subject: hasSubject ? "ada-1" : nil, session: "one", fixture)
                #expect(try await send(text, fixture).status == 200)
                for token in ended { #expect(try await !isLive(token, fixture)) }
                for token in unaffected { #expect(try await isLive(token, fixture)) }
            }
        }
    }

    @Test(
        "the same is true for Time Tracker, with both kinds of callback",
        arguments: TimeTrackerSettings.Callback.allCases)
    func timeTracker(_ callback: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: callback) { tracker in
            try await tracker.bridge.base.addPerson()
            let fields = try await tracker.deepLink(as: Self.account("one"))
            var body: [JSONValue.Member] = [
                .init("code", .string(fields["code"] ?? "")), .init("state", .string(fields["state"] ?? "")),
                .init("redirect_uri", .string(TimeTrackerFixture.redirect)),
            ]
            if let issuer = fields["iss"] { body.append(.init("iss", .string(issuer))) }
            let response = try await tracker.post(.object(body))
            let session = try #require(response.json?["access_token"]?.string, "\(response.text)")
            #expect(try await isLive(session, tracker.bridge))
            #expect(try await send(try token("a", session: "one", tracker.bridge), tracker.bridge).status == 200)
            #expect(try await !isLive(session, tracker.bridge))
        }
    }

    @Test("a person's sign-out at the provider ends all sessions here and revokes the keys")
    func bySubject() async throws {
        try await with { fixture in
            let app = try await app("one", fixture)
            let own = try await fixture.base.token()
            let stores = fixture.base.gateway.stores
            let person = try await stores.people.require(GatewayFixture.email)
            let key = try await stores.apiKeys.create(for: person, name: "a key", scopes: ["app"], maximum: 100)
            #expect(try await stores.apiKeys.authenticate(key.key.reveal()) != nil)
            #expect(try await send(try token("a", subject: "ada-1", fixture), fixture).status == 200)
            for token in [app, own] { #expect(try await !isLive(token, fixture)) }
            #expect(try await stores.apiKeys.authenticate(key.key.reveal()) == nil)
        }
    }

    @Test("a pending sign-in whose session at the provider has ended creates no session")
    func pendingSignIn() async throws {
        try await with { fixture in
            let app = AppSignIn()
            let fields = try await fixture.deepLink(app, as: Self.account("one"))
            #expect(try await send(try token("a", session: "one", fixture), fixture).status == 200)
            #expect(try await fixture.exchange(fields["code"], app.verifier).token == nil)
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 0)
        }
    }

    @Test(
        "a replayed logout token ends no session, also at another gateway and after a restart")
    func replay() async throws {
        try await with { fixture in
            let text = try token("a", subject: "ada-1", fixture)
            _ = try await app("one", fixture)
            #expect(try await send(text, fixture).status == 200)
            let later = try await fixture.base.token()
            #expect(try await send(text, fixture).status == 200)
            #expect(try await isLive(later, fixture))

            let provider = try #require(fixture.base.gateway.bridge?.providers["google"])
            let token = try await provider.party.logoutToken(Secret(text))
            let otherProcess = try await fixture.base.otherProcess()
            #expect(try await otherProcess.sessions.signOut(by: token, at: "google") == false)
            // A token of another provider with the same id is not a replay.
            #expect(try await otherProcess.sessions.signOut(by: token, at: "house"))
            await otherProcess.close()
            #expect(try await isLive(later, fixture))
        }
    }

    @Test("the number of remembered sign-outs is bounded, and each is deleted when its token has expired")
    func bounded() async throws {
        try await GatewayFixture.with { fixture in
            let sessions = fixture.gateway.stores.sessions
            func token(_ id: String) throws -> LogoutToken {
                let claims: JSONValue = [
                    "iss": "https://id.example", "aud": "gateway", "jti": .string(id), "sub": "ada",
                    "iat": .number(fixture.clock.now.timeIntervalSince1970.rounded()),
                    "events": .object([.init(Self.event, [:])]),
                ]
                return try LogoutToken(
                    checking: claims.encoded(),
                    against: .init(
                        issuer: "https://id.example", clientID: "gateway", now: fixture.clock.now,
                        maximumClockSkew: .seconds(60)))
            }
            for number in 0..<8 {
                #expect(try await sessions.signOut(by: try token("\(number)"), at: "google", remembering: 5))
                fixture.clock.advance(1)
            }
            #expect(try await sessions.signOut(by: try token("7"), at: "google", remembering: 5) == false)
            #expect(try await sessions.signOut(by: try token("0"), at: "google", remembering: 5))
            let last = try token("last")
            #expect(try await sessions.signOut(by: last, at: "google"))
            fixture.clock.advance(last.expires.timeIntervalSince(fixture.clock.now) + minute + 1)
            #expect(try await sessions.signOut(by: last, at: "google"))
        }
    }

    @Test("a provider that reports many sign-outs displaces only its own")
    func otherProviders() async throws {
        try await GatewayFixture.with { fixture in
            let sessions = fixture.gateway.stores.sessions
            func signOut(_ id: String, at provider: String) async throws -> Bool {
                let claims: JSONValue = [
                    "iss": "https://id.example", "aud": "gateway", "jti": .string(id), "sid": .string(id),
                    "iat": .number(fixture.clock.now.timeIntervalSince1970.rounded()),
                    "events": .object([.init(Self.event, [:])]),
                ]
                let token = try LogoutToken(
                    checking: claims.encoded(),
                    against: .init(
                        issuer: "https://id.example", clientID: "gateway", now: fixture.clock.now,
                        maximumClockSkew: .seconds(60)))
                return try await sessions.signOut(by: token, at: provider, remembering: 5)
            }
            #expect(try await signOut("one", at: "house"))
            for number in 0..<20 { #expect(try await signOut("\(number)", at: "google")) }

            #expect(try await signOut("one", at: "house") == false)
            #expect(try await sessions.isSignedOut("one", at: "house"))
            for number in 0..<20 {
                #expect(try await sessions.isSignedOut("\(number)", at: "google") == (number >= 15), "\(number)")
            }
            // Two rows of each sign-out.
            let rows = try await fixture.gateway.stores.database.read { connection in
                try connection.first(
                    Statement("SELECT count(*) FROM provider_sign_outs") { row throws(DatabaseError) in
                        try row.get(0) as Int
                    })
            }
            #expect(rows == 12)
        }
    }

    @Test("a session of a provider whose id has more than 255 bytes is refused")
    func longSession() async throws {
        try await with { fixture in
            let (longest, tooLong) = (String(repeating: "s", count: 255), String(repeating: "s", count: 256))
            let token = try await app(longest, fixture)
            #expect(try await send(try self.token("a", session: tooLong, fixture), fixture).status == 400)
            #expect(try await isLive(token, fixture))
            #expect(try await send(try self.token("b", session: longest, fixture), fixture).status == 200)
            #expect(try await !isLive(token, fixture))
            #expect(fixture.base.lines.text.contains("its 'sid' has more than 255 bytes."))
        }
    }

    @Test("a request without a token, with two tokens or with an unknown one is refused with an OAuth error")
    func refused() async throws {
        try await with { fixture in
            let one = try token("a", subject: "ada-1", fixture)
            let session = try await app("one", fixture)
            for fields in [[], [("logout_token", one), ("logout_token", one)], [("logout_token", "x.y.z")]] {
                let response = try await fixture.base.http.send(
                    "POST", "/api/auth/oauth/backchannel-logout",
                    headers: [("Content-Type", FormURLEncoded.mediaType)], body: FormURLEncoded.encode(fields))
                #expect(response.status == 400 && response.json?["error"]?.string == "invalid_request")
                #expect(response.headers["Cache-Control"] == "no-store")
            }
            #expect(try await isLive(session, fixture))
        }
    }
}
