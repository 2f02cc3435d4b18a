import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What the requests of clients count for.
@Suite("The limits of clients", .timeLimit(.minutes(20)))
struct ClientLimitTests {
    private static let web = [("client_id", "web"), ("client_secret", OAuthFixture.secret)]

    /// Sends requests without credentials, in bodies that can be read and that cannot, until the address has none left.
    private func flood(_ fixture: OAuthFixture) async throws {
        for _ in 0..<6 {
            _ = try await fixture.post("token", [("grant_type", "refresh_token"), ("refresh_token", "x")])
            _ = try await fixture.post("token", [("grant_type", "authorization_code"), ("client_id", "app")])
            _ = try await fixture.open(fixture.parameters)
            _ = try await fixture.gateway.http.send(
                "POST", "/api/auth/login", headers: [("Content-Type", "application/json")], body: "{")
        }
        #expect(try await fixture.post("token", [("client_id", "app")]).status == 429)
    }

    @Test("a flood of an anonymous client takes neither refreshes nor introspection of others at its address")
    func anonymousFlood() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(8)
        } _: { fixture in
            let tokens = try await fixture.tokens()
            let maker = try ProofMaker()
            let bound = try await fixture.boundTokens(maker)
            try await flood(fixture)
            let renewed = try await fixture.refresh(bound.refresh, proof: try fixture.tokenProof(maker))
            #expect(renewed.status == 200, "\(renewed.text)")
            let refreshed = try await fixture.refresh(tokens.refresh)
            #expect(refreshed.status == 200, "\(refreshed.text)")
            for _ in 0..<20 {
                #expect(try await fixture.post("introspect", Self.web + [("token", "x")]).status == 200)
            }
            let last = try OAuthTokens(refreshed).refresh
            #expect(try await fixture.post("revoke", [("client_id", "app"), ("token", last)]).status == 200)
        }
    }

    @Test("the requests of a client that authenticates itself count for the client, with a limit of its own")
    func authenticated() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(5)
            $0.requestRates.client = .perMinute(12)
            $0.introspectionClients = [
                try? IntrospectionClient(id: "web", secret: Secret("another secret that is long enough for a server"))
            ]
            .compactMap { $0 }
        } _: { fixture in
            for _ in 0..<12 {
                #expect(try await fixture.post("introspect", Self.web + [("token", "x")]).status == 200)
            }
            let limited = try await fixture.post("introspect", Self.web + [("token", "x")])
            #expect(limited.status == 429 && limited.headers["Retry-After"] != nil)
            // A server that introspects tokens is another caller, and so is the address.
            let server = [
                ("client_id", "web"), ("client_secret", "another secret that is long enough for a server"),
                ("token", "x"),
            ]
            #expect(try await fixture.post("introspect", server).status == 200)
            #expect(try await fixture.post("token", [("client_id", "app")]).status == 400)
        }
    }

    @Test("an empty secret counts for the address like none")
    func emptySecret() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(5)
        } _: { fixture in
            let basic = [("Authorization", "Basic " + Data("app:".utf8).base64EncodedString())]
            var statuses: [Int] = []
            for number in 0..<7 {
                let form = [("grant_type", "authorization_code"), ("code", "x"), ("redirect_uri", "x")]
                statuses.append(
                    number.isMultiple(of: 2)
                        ? try await fixture.post("token", form, headers: basic).status
                        : try await fixture.post("token", form + [("client_id", "app"), ("client_secret", "")]).status)
            }
            #expect(statuses.prefix(5).allSatisfy { $0 == 400 } && statuses.suffix(2) == [429, 429], "\(statuses)")
        }
    }

    @Test("wrong credentials count for the address, and use up nothing else of it")
    func wrongCredentials() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(5)
        } _: { (fixture: OAuthFixture) async throws in
            let wrong = [("client_id", "web"), ("client_secret", "wrong"), ("token", "x")]
            for _ in 0..<5 { #expect(try await fixture.post("introspect", wrong).status == 401) }
            #expect(try await fixture.post("introspect", wrong).status == 429)
            #expect(try await fixture.post("token", [("client_id", "app")]).status == 400)
        }
    }

    @Test("wrong secrets of one address do not block the right secret from there")
    func rightSecret() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(5)
        } _: { (fixture: OAuthFixture) async throws in
            let wrong = [("client_id", "web"), ("client_secret", "wrong"), ("token", "x")]
            for _ in 0..<8 { _ = try await fixture.post("introspect", wrong) }
            #expect(try await fixture.post("introspect", wrong).status == 429)

            #expect(try await fixture.post("introspect", Self.web + [("token", "x")]).status == 200)
            let basic = Data("web:\(OAuthFixture.secret)".utf8).base64EncodedString()
            let field = [("Authorization", "Basic " + basic)]
            #expect(try await fixture.post("introspect", [("token", "x")], headers: field).status == 200)
            #expect(try await fixture.post("introspect", wrong).status == 429)
        }
    }

    @Test("a client that registered itself counts for its address, whose limit it does not multiply")
    func registeredClients() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(30)
            $0.authorizationServer.registration.isEnabled = true
        } _: { fixture in
            var clients: [[(String, String)]] = []
            for _ in 0..<5 {
                let registered = try await fixture.gateway.http.send(
                    "POST", "/oauth2/register", headers: [("Content-Type", "application/json")],
                    body:
                        #"{"redirect_uris":["https://app.example/x"],"token_endpoint_auth_method":"client_secret_post"}"#
                )
                let json = try #require(registered.json)
                clients.append([
                    ("client_id", try #require(json["client_id"]?.string)),
                    ("client_secret", try #require(json["client_secret"]?.string)),
                ])
            }
            var statuses: [Int] = []
            for credentials in clients {
                for _ in 0..<8 {
                    statuses.append(try await fixture.post("introspect", credentials + [("token", "x")]).status)
                }
            }
            #expect(statuses.count { $0 == 200 } <= 30 && statuses.last == 429, "\(statuses)")
        }
    }

    @Test("a refresh token counts only in a refresh, and those of an ended session count for the address")
    func refusedRefreshes() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(10)
        } _: { fixture in
            let ended = try await fixture.tokens()
            #expect(
                try await fixture.post("revoke", [("client_id", "app"), ("token", ended.refresh)]).status == 200)
            let live = try await fixture.tokens()
            var statuses: [Int] = []
            for _ in 0..<16 { statuses.append(try await fixture.refresh(ended.refresh).status) }
            #expect(statuses.count { $0 == 400 } <= 15 && statuses.last == 429, "\(statuses)")
            #expect(try await fixture.refresh(live.refresh).status == 200)
        }
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(10)
        } _: { fixture in
            let tokens = try await fixture.tokens()
            let guess = [
                ("grant_type", "authorization_code"), ("client_id", "app"), ("code", "x"), ("code_verifier", "x"),
                ("refresh_token", tokens.refresh),
            ]
            var statuses: [Int] = []
            for _ in 0..<11 { statuses.append(try await fixture.post("token", guess).status) }
            #expect(statuses.last == 429, "\(statuses)")
            #expect(try await fixture.refresh(tokens.refresh).status == 200)
        }
    }

    @Test("revocations that end nothing count for the address")
    func revocationsWithoutEffect() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(10)
        } _: { fixture in
            func revoke(_ token: String) async throws -> Int {
                try await fixture.post("revoke", [("client_id", "app"), ("token", token)]).status
            }
            let (ended, live) = (try await fixture.tokens(), try await fixture.tokens())
            #expect(try await revoke(ended.refresh) == 200)
            var statuses: [Int] = []
            for _ in 0..<16 { statuses.append(try await revoke(ended.refresh)) }
            #expect(statuses.count { $0 == 200 } <= 15 && statuses.last == 429, "\(statuses)")
            #expect(try await revoke(live.refresh) == 200)
            let sessions = try #require(fixture.gateway.gateway.services.clientSessions)
            #expect(try await sessions.authenticate(live.access) == nil)
        }
    }

    @Test("the refreshes of one session have a limit, which others do not share")
    func sessions() async throws {
        try await OAuthFixture.with {
            $0.requestRates.address = .perMinute(12)
        } _: { fixture in
            let (one, other) = (try await fixture.tokens(), try await fixture.tokens())
            // The response is the same as long as none of its tokens is used.
            for _ in 0..<12 { #expect(try await fixture.refresh(one.refresh).status == 200) }
            #expect(try await fixture.refresh(one.refresh).status == 429)
            #expect(try await fixture.refresh(other.refresh).status == 200)
        }
    }
}
