import Crypto
import FoundationEssentials
import HTTPMessages
import Primitives
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The tokens of Onyx's protocol where `sessions.tokens` is `rotating`.
@Suite("Rotating session tokens", .timeLimit(.minutes(20)))
struct RotatingSessionTests {
    private struct Tokens {
        let access: String
        let refresh: String
    }

    private static func with(_ body: (GatewayFixture) async throws -> Void) async throws {
        try await GatewayFixture.with({ $0.sessions.tokens = .rotating }) { fixture in
            _ = try await fixture.addPerson()
            try await body(fixture)
        }
    }

    private static func tokens(_ response: Exchange.Response) throws -> Tokens {
        try #require(response.status == 200)
        return Tokens(
            access: try #require(response.token), refresh: try #require(response.json?["refresh_token"]?.string))
    }

    @Test func `OX-6 an access token expires, and a refresh replaces both tokens`() async throws {
        try await Self.with { fixture in
            let login = try await fixture.login()
            #expect(login.json?["expires_in"]?.number == 900)
            let first = try Self.tokens(login)
            #expect(try await fixture.me(first.access).json?["email"]?.string == GatewayFixture.email)
            fixture.clock.advance(900)
            #expect(try await fixture.me(first.access).json?["error_code"]?.string == "SESSION_EXPIRED")
            let second = try Self.tokens(try await fixture.refresh(first.refresh))
            #expect(second.access != first.access && second.refresh != first.refresh)
            #expect(try await fixture.me(second.access).status == 200)
            #expect(try await fixture.refresh(second.access).status == 401, "an access token does not refresh")
            #expect(try await fixture.me(first.refresh).status == 403, "a refresh token is no access token")
        }
    }

    @Test func `OX-6 refreshes of a session are limited`() async throws {
        try await Self.with { fixture in
            let other = try Self.tokens(try await fixture.login())
            var tokens = try Self.tokens(try await fixture.login())
            var response = try await fixture.refresh(tokens.refresh)
            var count = 0
            while response.status == 200, count < 1_000 {
                (tokens, count) = (try Self.tokens(response), count + 1)
                response = try await fixture.refresh(tokens.refresh)
            }
            #expect(response.status == 429)
            #expect(count <= RequestRates().general.requests + 1)
            #expect(try await fixture.refresh(other.refresh).status == 200)
            fixture.clock.advance(minute)
            #expect(try await fixture.refresh(tokens.refresh).status == 200)
        }
    }

    @Test func `OX-6 a refresh whose response was lost gets the same tokens again`() async throws {
        try await Self.with { fixture in
            let first = try Self.tokens(try await fixture.login())
            let second = try Self.tokens(try await fixture.refresh(first.refresh))
            let again = try Self.tokens(try await fixture.refresh(first.refresh))
            #expect(again.access == second.access && again.refresh == second.refresh)
            #expect(try await fixture.me(first.access).status == 200, "it is valid until it expires")
            #expect(try await fixture.me(second.access).status == 200)
        }
    }

    @Test(arguments: [false, true])
    func `OX-6 an old refresh token ends the session at once, and that is recorded`(isCached: Bool) async throws {
        try await Self.with { fixture in
            let first = try Self.tokens(try await fixture.login())
            let second = try Self.tokens(try await fixture.refresh(first.refresh))
            #expect(try await fixture.me(second.access).status == 200)
            if !isCached { fixture.gateway.issuer.invalidateAll() }
            #expect(try await fixture.refresh(first.refresh).status == 401)
            #expect(try await fixture.me(second.access).json?["error_code"]?.string == "SESSION_TERMINATED")
            #expect(try await fixture.refresh(second.refresh).status == 401)
            let reasons = fixture.lines.audit.filter { $0["event"]?.string == "revoked" }.map { $0["reason"]?.string }
            #expect(reasons == ["token-reused"])
        }
    }

    @Test func `OX-1 sign-out with either token ends the session`() async throws {
        try await Self.with { fixture in
            for usesRefreshToken in [false, true] {
                let tokens = try Self.tokens(try await fixture.login())
                #expect(try await fixture.me(tokens.access).status == 200)
                let token = usesRefreshToken ? tokens.refresh : tokens.access
                #expect(try await fixture.logout(token).status == 204)
                #expect(try await fixture.me(tokens.access).json?["error_code"]?.string == "SESSION_TERMINATED")
                #expect(try await fixture.refresh(tokens.refresh).status == 401)
                #expect(try await fixture.logout(token).status == 401)
            }
        }
    }

    @Test func `a person who is disabled, and a session that another process ends, are refused at once`() async throws {
        try await Self.with { fixture in
            let ended = try Self.tokens(try await fixture.login())
            #expect(try await fixture.me(ended.access).status == 200)
            let stores = fixture.gateway.stores
            let session = try #require(try await stores.sessions.list().first)
            #expect(session.device.kind != SessionDevice.clientKind)
            let person = try await stores.people.require(GatewayFixture.email)
            let own = try #require(try await stores.sessions.ownSession(session.id, of: person.id))
            _ = try await stores.sessions.end(own, asking: Session(now: person, fixture.clock.now))
            await fixture.gateway.detectExternalWrites()
            #expect(try await fixture.me(ended.access).json?["error_code"]?.string == "SESSION_TERMINATED")

            let disabled = try Self.tokens(try await fixture.login())
            #expect(try await fixture.me(disabled.access).status == 200)
            try await stores.people.disable(try #require(try await stores.people.list().first).id)
            #expect(try await fixture.me(disabled.access).status == 403)
            #expect(try await fixture.refresh(disabled.refresh).status == 401)
        }
    }

    @Test func `OX-6 a session that was created from it ends with it at once, also when its token is stolen`()
        async throws
    {
        try await Self.with { fixture in
            for isStolen in [false, true] {
                let first = try Self.tokens(try await fixture.login())
                let stores = fixture.gateway.stores
                let person = try #require(try await stores.people.find(GatewayFixture.email))
                let parent = try #require(try await fixture.gateway.issuer.authenticate(first.access).session)
                let child = try await fixture.gateway.issuer.issue(for: person, device: SessionDevice())
                try await stores.sessions.adopt(child.session, by: parent.id, lifetime: nil)
                let token = child.token.reveal()
                #expect(try await fixture.me(token).status == 200)
                if isStolen {
                    let second = try Self.tokens(try await fixture.refresh(first.refresh))
                    #expect(try await fixture.me(second.access).status == 200)
                    #expect(try await fixture.refresh(first.refresh).status == 401)
                } else {
                    #expect(try await fixture.logout(first.refresh).status == 204)
                }
                #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
            }
        }
    }

    @Test func `OX-8 a checked access token needs no further read of the database`() async throws {
        try await Self.with { fixture in
            let tokens = try Self.tokens(try await fixture.login())
            #expect(try await fixture.me(tokens.access).status == 200)
            guard case .found(let authentication) = fixture.gateway.issuer.find(tokens.access) else {
                Issue.record("the token is not in memory")
                return
            }
            #expect(authentication.isValid)
            #expect(authentication.session?.expires == fixture.clock.now + .seconds(900), "'token_expires_at' of '/me'")
        }
    }

    @Test func `a session's expiry moves with its use, up to its maximum`() async throws {
        try await Self.with { fixture in
            var tokens = try Self.tokens(try await fixture.login())
            let lifetime = fixture.gateway.stores.settings.sessions
            let steps = Int(lifetime.maximum.seconds / (lifetime.sliding.seconds - 60))
            for _ in 0..<steps {
                fixture.clock.advance(lifetime.sliding.seconds - 60)
                tokens = try Self.tokens(try await fixture.refresh(tokens.refresh))
            }
            fixture.clock.advance(lifetime.sliding.seconds - 60)
            #expect(try await fixture.refresh(tokens.refresh).status == 401)
        }
    }

    @Test func `RFC 9449 OX-6 tokens of a sign-in with a proof are refreshed and accepted with proofs only`()
        async throws
    {
        try await GatewayFixture.withPages({
            $0.sessions.tokens = .rotating
            $0.publicURL = OAuthFixture.issuer
            $0.authorizationServer.isEnabled = true
        }) { fixture in
            let (maker, other) = (try ProofMaker(), try ProofMaker())
            func proof(
                _ method: String, _ path: String, token: String? = nil, by signer: ProofMaker? = nil
            ) throws -> [(String, String)] {
                let address = OAuthFixture.issuer + path
                let field = try (signer ?? maker).proof(method, address, at: fixture.clock.now, token: token)
                return (token.map { [("Authorization", "DPoP " + $0)] } ?? []) + [("DPoP", field)]
            }
            func refresh(_ fields: [(String, String)]) async throws -> Exchange.Response {
                try await fixture.http.send("POST", "/api/auth/mobile/refresh", headers: fields, body: "")
            }
            func me(_ fields: [(String, String)]) async throws -> Int {
                try await fixture.http.send("GET", "/api/me", headers: fields).status
            }
            let login = try await fixture.login(headers: try proof("POST", "/api/auth/mobile/login"))
            #expect(login.json?["token_type"] == "DPoP")
            let first = try Self.tokens(login)
            for _ in 0..<2 {
                #expect(try await me(try proof("GET", "/api/me", token: first.access)) == 200)
                #expect(try await me(GatewayFixture.bearer(first.access)) == 403, "without a proof")
                #expect(try await me(try proof("GET", "/api/me", token: first.access, by: other)) == 403)
            }
            guard case .proofRequired = try await fixture.gateway.issuer.authenticate(first.access) else {
                Issue.record("a server to which the token was presented checks the proof itself")
                return
            }
            fixture.clock.advance(900)
            #expect(try await fixture.gateway.issuer.authenticate(first.access) == .expired)
            let path = "/api/auth/mobile/refresh"
            #expect(try await fixture.refresh(first.refresh).status == 401, "without a proof")
            #expect(try await refresh(try proof("POST", path, token: first.refresh, by: other)).status == 401)
            let second = try Self.tokens(try await refresh(try proof("POST", path, token: first.refresh)))
            #expect(try await me(try proof("GET", "/api/me", token: second.access)) == 200)
            #expect(try await me(GatewayFixture.bearer(second.access)) == 403, "without a proof")
        }
    }
}
