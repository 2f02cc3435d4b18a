import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What scripts of pages of other origins may send and read.
@Suite("Applications that run in a browser", .timeLimit(.minutes(20)))
struct CrossOriginTests {
    private static let origin = ("Origin", "https://spa.example")
    private static let endpoints = [
        "/oauth2/token", "/oauth2/userinfo", "/oauth2/revoke", "/oauth2/register", "/oauth2/par",
    ]

    private static func preflight(_ method: String) -> [(String, String)] {
        [
            origin, ("Access-Control-Request-Method", method),
            ("Access-Control-Request-Headers", "authorization,content-type,dpop,x-requested-with"),
        ]
    }

    /// Whether a script may read a response. Never with the credentials of the browser.
    private static func isReadable(_ response: Exchange.Response) -> Bool {
        #expect(response.headers["Access-Control-Allow-Credentials"] == nil)
        return response.headers.values("Access-Control-Allow-Origin") == ["*"]
            && response.headers["Access-Control-Expose-Headers"]?.contains("DPoP-Nonce, WWW-Authenticate") == true
    }

    @Test("Fetch §3.3 an application in a browser registers, gets tokens with a proof, uses and revokes them")
    func application() async throws {
        try await OAuthFixture.with({
            $0.authorizationServer.registration.isEnabled = true
            $0.authorizationServer.requiresProofNonces = true
        }) { fixture in
            let http = fixture.gateway.http
            for (path, methods) in zip(Self.endpoints, ["POST", "GET, POST", "POST", "POST", "POST"]) {
                let asked = try await http.send("OPTIONS", path, headers: Self.preflight("POST"))
                #expect(asked.status == 204 && asked.body.isEmpty, "\(path)")
                #expect(asked.headers["Access-Control-Allow-Origin"] == "*", "\(path)")
                #expect(asked.headers["Access-Control-Allow-Methods"] == methods, "\(path)")
                #expect(asked.headers["Access-Control-Allow-Headers"] == "Authorization, *", "\(path)")
                #expect(asked.headers["Access-Control-Allow-Credentials"] == nil, "\(path)")
            }
            let registered = try await http.send(
                "POST", "/oauth2/register", headers: [("Content-Type", "application/json"), Self.origin],
                body: #"{"redirect_uris":["https://spa.example/back"],"token_endpoint_auth_method":"none"}"#)
            #expect(registered.status == 201 && Self.isReadable(registered))

            let maker = try ProofMaker()
            let challenged = try await fixture.boundResponse(maker)
            #expect(challenged.json?["error"] == "use_dpop_nonce" && Self.isReadable(challenged))
            let nonce = try #require(challenged.headers["DPoP-Nonce"])
            let granted = try await fixture.boundResponse(maker, nonce: nonce)
            #expect(granted.json?["token_type"] == "DPoP" && Self.isReadable(granted))
            let token = try #require(granted.token)
            let refused = try await fixture.userInfo(fields: try fixture.userInfoFields(maker, token))
            #expect(refused.status == 401 && refused.headers["WWW-Authenticate"] != nil && Self.isReadable(refused))
            let info = try await fixture.userInfo(fields: try fixture.userInfoFields(maker, token, nonce: nonce))
            #expect(info.status == 200 && Self.isReadable(info))
            let revoked = try await fixture.post("revoke", [("client_id", "app"), ("token", token)])
            #expect(revoked.status == 200 && Self.isReadable(revoked))
        }
    }

    @Test("errors are readable too: of the form, of the client, of the method, of a body that is too large")
    func errors() async throws {
        try await OAuthFixture.with { fixture in
            let form = [("Content-Type", FormURLEncoded.mediaType), Self.origin]
            for (method, body, status) in [
                ("POST", "a=1&a=2", 400), ("POST", "", 401), ("POST", "client_id=none&grant_type=refresh_token", 401),
                ("GET", nil, 405),
                ("POST", String(repeating: "x", count: 40_000), 413),
            ] as [(String, String?, Int)] {
                let response = try await fixture.gateway.http.send(method, "/oauth2/token", headers: form, body: body)
                #expect(
                    response.status == status && Self.isReadable(response), "\(method) \(status) \(response.status)")
            }
        }
        try await OAuthFixture.with({ $0.requestRates.address = .perMinute(1) }) { fixture in
            _ = try await fixture.post("token", [])
            let limited = try await fixture.post("token", [])
            #expect(limited.status == 429 && Self.isReadable(limited))
        }
    }

    @Test("no other route of any dialect or page can be read by scripts of other origins, besides the public documents")
    func otherRoutes() async throws {
        try await EveryRoute.with { fixture in
            let documents = [
                "/oauth2/jwks", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
            ]
            #expect(Set(fixture.gateway.router.routes.map(\.pattern)).isSuperset(of: Self.endpoints + documents))
            for route in fixture.gateway.router.routes
            where !Self.endpoints.contains(route.pattern) && !documents.contains(route.pattern) {
                let path = route.pattern.replacing("{}", with: "0a0a0a0a-0000-4000-8000-000000000000")
                    .replacing("{*}", with: "x")
                let method = route.method.rawValue
                let requests = [
                    ("OPTIONS", Self.preflight(method), nil),
                    (method, [Self.origin], [.get, .head].contains(route.method) ? nil : ""),
                ]
                for (method, headers, body) in requests {
                    let response = try await fixture.http.send(method, path, headers: headers, body: body)
                    let fields = response.headers.fields.map { $0.name.lowercased() }
                    #expect(!fields.contains { $0.hasPrefix("access-control-") }, "\(method) \(path)")
                }
            }
        }
    }
}
