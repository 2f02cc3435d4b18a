import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Devices that sign in to the dialects of a gateway, as `latch login --device` does.
@Suite("Devices at the dialects", .timeLimit(.minutes(20)))
struct DeviceDialectTests {
    private static func with(
        isOn: Bool = true, _ body: (OAuthFixture) async throws -> Void
    ) async throws {
        try await OAuthFixture.with(
            { settings in
                settings.authorizationServer.servesDialectsToDevices = isOn
                settings.serveDialects()
                settings.accountLimit.attempts = 100
            }, body)
    }

    private static func begin(
        _ dialect: String?, _ fixture: OAuthFixture, _ scope: String? = nil
    ) async throws -> Exchange.Response {
        try await fixture.begin([("client_id", "latch"), ("dialect", dialect), ("scope", scope)])
    }

    @Test(
        "RFC 8628 a device gets a token of the dialect, which is revoked with the person's sessions",
        arguments: [
            ("onyx", "/api/me"), ("immich", "/im/users/me"), ("timetracker", "/tt/auth/me"),
            ("relate-mail", "/rm/api/profile"),
        ])
    func signIn(dialect: String, path: String) async throws {
        try await Self.with { fixture in
            let codes = try DeviceAuthorizationResponse(
                parsing: Array(try await Self.begin(dialect, fixture).text.utf8))
            _ = try await fixture.decide(onDevice: codes.userCode)
            #expect(try await fixture.pollError(codes) == "invalid_client", "the code is the client's")
            let response = try await fixture.poll(codes, [("client_id", "latch")])
            #expect(response.json?["token_type"] == "Bearer" && response.json?["refresh_token"] == nil)
            #expect((response.json?["key_id"] != nil) == (dialect == "relate-mail"))
            let token = try #require(response.json?["access_token"]?.string)
            let headers = GatewayFixture.bearer(token)
            #expect(try await fixture.gateway.http.send("GET", path, headers: headers).status == 200)
            #expect(try await fixture.poll(codes, [("client_id", "latch")]).json?["error"] == "invalid_grant")
            let stores = fixture.gateway.gateway.stores
            let ada = try await stores.people.require(GatewayFixture.email)
            _ = try await stores.sessions.revokeAll(of: ada.id)
            fixture.gateway.gateway.services.issuer.invalidateAll()
            stores.apiKeys.invalidateAll()
            let after = try await fixture.gateway.http.send("GET", path, headers: headers).status
            // Onyx distinguishes a session that was ended from an unknown one.
            #expect(after == (dialect == "onyx" ? 403 : 401))
        }
    }

    @Test("RFC 8628 §5.4 the session of a device, at which nobody authenticated, never counts as a recent sign-in")
    func notRecent() async throws {
        try await Self.with { fixture in
            for dialect in ["onyx", "immich", "latchd"] {
                let codes = try DeviceAuthorizationResponse(
                    parsing: Array(try await Self.begin(dialect, fixture).text.utf8))
                _ = try await fixture.decide(onDevice: codes.userCode)
                let response = try await fixture.poll(codes, [("client_id", "latch")])
                let token = try #require(response.json?["access_token"]?.string)
                let services = fixture.gateway.gateway.services
                let session = try #require(try await services.issuer.authenticate(token).session)
                for action in SensitiveAction.allCases {
                    #expect(throws: GatewayError.self) { try services.requireRecentSignIn(for: action, session) }
                }
            }
            // Immich lets a session sign out the person's other devices.
            let codes = try DeviceAuthorizationResponse(
                parsing: Array(try await Self.begin("immich", fixture).text.utf8))
            _ = try await fixture.decide(onDevice: codes.userCode)
            let token = try #require(
                try await fixture.poll(codes, [("client_id", "latch")]).json?["access_token"]?.string)
            let refused = try await fixture.gateway.http.send(
                "DELETE", "/im/sessions", headers: GatewayFixture.bearer(token))
            #expect((400..<500).contains(refused.status), "\(refused.status)")
        }
    }

    @Test("RFC 9728 a device gets a session that opens the protected servers")
    func protected() async throws {
        try await Self.with { fixture in
            let codes = try DeviceAuthorizationResponse(
                parsing: Array(try await Self.begin("latchd", fixture).text.utf8))
            _ = try await fixture.decide(onDevice: codes.userCode)
            let response = try await fixture.poll(codes, [("client_id", "latch")])
            #expect(try await fixture.verify(try #require(response.json?["access_token"]?.string)) == 200)
        }
    }

    @Test("RFC 8628 the client 'latch' needs a known dialect, and does not exist where it is not allowed")
    func refused() async throws {
        try await Self.with { fixture in
            for dialect in [nil, "", "oauth", "IMMICH", String(repeating: "x", count: 9_000)] {
                #expect(try await Self.begin(dialect, fixture).json?["error"] == "invalid_request")
            }
            #expect(try await Self.begin("relate-mail", fixture, "api:read nonsense").json?["error"] == "invalid_scope")
            let metadata = try await fixture.gateway.http.send("GET", "/.well-known/oauth-authorization-server").json
            #expect(
                metadata?["device_dialects_supported"]
                    == ["immich", "latchd", "onyx", "relate-mail", "timetracker"])
            // The client has no redirects, so it can sign nobody in with the browser.
            let opened = try await fixture.open(
                OAuthFixture.replacing(fixture.parameters, [("client_id", "latch")]))
            #expect(opened.status == 400)
        }
        try await Self.with(isOn: false) { fixture in
            let refused = try await Self.begin("immich", fixture)
            #expect(refused.json?["error"] == "invalid_client")
        }
    }

    @Test("where devices cannot sign in to dialects, the configuration may give the id 'latch' to a client")
    func configuredClient() async throws {
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.clients.append(
                RegisteredClient(id: "latch", name: "latch", secretHash: nil, redirects: [], allowsDevice: true))
        }) { fixture in
            let tokens = try await fixture.deviceTokens([("client_id", "latch")])
            #expect(try await fixture.userInfo(tokens.access).json?["name"] == "Ada")
            let names = try await fixture.gateway.gateway.stores.clients.list().map(\.id)
            #expect(names == ["app", "web", "latch"])
        }
    }

    @Test("RFC 9449 §6.1 the signed token of a device with a key names the key")
    func confirmation() async throws {
        try await Self.with { fixture in
            let maker = try ProofMaker()
            func token(_ headers: [(String, String)]) async throws -> JSONValue {
                let codes = try DeviceAuthorizationResponse(
                    parsing: Array(try await Self.begin("timetracker", fixture).text.utf8))
                _ = try await fixture.decide(onDevice: codes.userCode)
                let response = try await fixture.post(
                    "token",
                    [
                        ("grant_type", OAuthFixture.deviceGrant), ("device_code", codes.deviceCode.reveal()),
                        ("client_id", "latch"),
                    ], headers: headers)
                #expect(response.json?["token_type"] == (headers.isEmpty ? "Bearer" : "DPoP"))
                return try JSONValue(parsing: JSONWebSignature(parsing: try response.token.orThrow).payload)
            }
            #expect(try await token(try fixture.tokenProof(maker))["cnf"] == ["jkt": .string(maker.thumbprint)])
            #expect(try await token([])["cnf"] == nil)
        }
    }

    @Test("RM-6 a key has the scopes that the device asks for")
    func keys() async throws {
        try await Self.with { fixture in
            let codes = try DeviceAuthorizationResponse(
                parsing: Array(try await Self.begin("relate-mail", fixture, "api:read").text.utf8))
            #expect(try await fixture.enter(codes.userCode).text.contains("(api:read)"))
            _ = try await fixture.decide(onDevice: codes.userCode)
            #expect(try await fixture.poll(codes, [("client_id", "latch")]).json?["scope"] == "api:read")
        }
    }
}
