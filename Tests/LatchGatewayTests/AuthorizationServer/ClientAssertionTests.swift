import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Clients that authenticate with a signed statement.
@Suite("Client assertions", .timeLimit(.minutes(20)))
struct ClientAssertionTests {
    private static let redirect = "https://signed.example.org/callback"

    /// A gateway with two clients that have keys, and the first of them. The client `bound` has its key too, and must
    /// prove another one.
    private static func with(_ body: (OAuthFixture, AssertionMaker) async throws -> Void) async throws {
        let maker = try AssertionMaker("signed")
        let clients = [
            try maker.registered(redirects: [redirect]), try AssertionMaker("other").registered(redirects: [redirect]),
            try AssertionMaker("bound", key: maker.key).registered(redirects: [redirect], requiresProof: true),
        ]
        try await OAuthFixture.with({ $0.authorizationServer.clients += clients }) { try await body($0, maker) }
    }

    @Test("a client without requests left costs no signature, and its assertion stays unused")
    func limited() async throws {
        let maker = try AssertionMaker("signed")
        let client = try maker.registered(redirects: [Self.redirect])
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.clients.append(client)
            settings.requestRates.client = .perMinute(3)
        }) { fixture in
            func introspect(_ credentials: [(String, String)]) async throws -> Int {
                try await fixture.post("introspect", credentials + [("token", "x")]).status
            }
            for _ in 0..<3 {
                #expect(try await introspect(try maker.credentials(at: fixture.gateway.clock.now)) == 200)
            }
            let next = try maker.credentials(at: fixture.gateway.clock.now)
            let count = fixture.gateway.gateway.metrics.counts.signatures[.assertion]
            #expect(try await introspect(next) == 429)
            #expect(fixture.gateway.gateway.metrics.counts.signatures[.assertion] == count)
            #expect(!fixture.gateway.lines.audit.contains { $0["reason"]?.string == "wrong-client-assertion" })
            fixture.gateway.clock.advance(60)
            #expect(try await introspect(next) == 200)
        }
    }

    @Test("a client that registered itself takes the share of its address of the used assertions, others their own")
    func shareOfAddress() async throws {
        try await Self.with { fixture, maker in
            let registered = try AssertionMaker("registered")
            try await fixture.gateway.gateway.stores.clients.register(
                RegisteredClient(
                    id: registered.client, name: "Registered", secretHash: nil, redirects: [Self.redirect],
                    keys: try registered.registered(redirects: []).keys,
                    registration: ClientRegistration(tokenHash: SHA256.digest("token"), method: .signedStatement)),
                from: AddressKey(nil), maximum: 100)
            func introspect(_ maker: AssertionMaker) async throws -> Int {
                let credentials = try maker.credentials(at: fixture.gateway.clock.now)
                return try await fixture.post("introspect", credentials + [("token", "x")]).status
            }
            #expect(try await introspect(registered) == 200)
            let used = try #require(fixture.gateway.gateway.services.clientAssertions)
            let address = UsedIDs.User.address(AddressKey(IPAddress("127.0.0.1")))
            for number in 1..<UsedIDs.capacity / 8 {
                guard try await used.record(SHA256.digest("\(number)"), of: address) else { throw Exchange.Broken() }
            }
            #expect(try await introspect(registered) == 503)
            #expect(try await introspect(maker) == 200)
        }
    }

    @Test("RFC 7523 §2.2 a client signs in with assertions at every endpoint, without a client_id or with it")
    func signIn() async throws {
        try await Self.with { fixture, maker in
            func credentials() throws -> [(String, String)] { try maker.credentials(at: fixture.gateway.clock.now) }
            let pushed = try await fixture.post(
                "par",
                OAuthFixture.replacing(fixture.parameters, [("client_id", "signed"), ("redirect_uri", Self.redirect)])
                    + credentials())
            let address = try #require(pushed.json?["request_uri"]?.string)
            let fields = try await fixture.respond(to: [("client_id", "signed"), ("request_uri", address)])
            let exchanged = try await fixture.post(
                "token",
                [
                    ("grant_type", "authorization_code"), ("code", try #require(fields["code"])),
                    ("redirect_uri", Self.redirect), ("code_verifier", fixture.verifier.secret.reveal()),
                ] + credentials())
            let tokens = try OAuthTokens(exchanged)
            let active = try await fixture.post("introspect", try credentials() + [("token", tokens.access)])
            #expect(active.json?["active"] == true)
            let refreshed = try await fixture.post(
                "token",
                try credentials() + [
                    ("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", "signed"),
                ])
            #expect(refreshed.status == 200)
            #expect(
                try await fixture.post("revoke", try credentials() + [("token", tokens.refresh)]).status == 200)
            #expect(try await fixture.userInfo(tokens.access).status == 401)
        }
    }

    @Test(
        "RFC 7523 §3 RFC 8725 an assertion is refused with any wrong claim, key, algorithm or type, and a second time")
    func refused() async throws {
        try await Self.with { fixture, maker in
            func error(_ assertion: String) async throws -> String? {
                let fields = AssertionMaker.credentials(assertion) + [("token", "x")]
                let response = try await fixture.post("introspect", fields)
                return response.status == 200 ? nil : response.json?["error"]?.string
            }
            let now = fixture.gateway.clock.now.timeIntervalSince1970
            let good = try maker.assertion(at: fixture.gateway.clock.now)
            #expect(try await error(good) == nil)
            #expect(try await error(good) == "invalid_client", "replayed")

            let issuer = JSONValue.string(OAuthFixture.issuer)
            #expect(try await error(try maker.assertion(at: fixture.gateway.clock.now, [("iat", nil)])) == nil)
            let wrong: [[(String, JSONValue?)]] = [
                [("iss", "other")], [("sub", "other")], [("iss", "other"), ("sub", "other")], [("iss", nil)],
                [("sub", nil)], [("iss", "app"), ("sub", "app")], [("iss", "web"), ("sub", "web")],
                [("iss", "nobody"), ("sub", "nobody")], [("aud", nil)], [("aud", "https://other.example")],
                [("aud", [issuer, "https://other.example"])], [("aud", [])], [("aud", [1])],
                [("aud", .array(Array(repeating: issuer, count: 9)))],
                [("aud", .string(OAuthFixture.issuer + "/"))],
                [("exp", nil)], [("exp", .number(now - 61))], [("exp", .number(now + 3_661))], [("exp", "soon")],
                [("jti", nil)], [("jti", "")], [("jti", .string(String(repeating: "x", count: 256)))], [("jti", 1)],
                [("iat", .number(now + 600))], [("nbf", .number(now + 600))], [("iat", "now")],
            ]
            for changes in wrong {
                let assertion = try maker.assertion(at: fixture.gateway.clock.now, changes)
                #expect(try await error(assertion) == "invalid_client", "\(changes)")
            }
            for type in ["logout+jwt", "at+jwt", "dpop+jwt"] {
                let assertion = try maker.assertion(at: fixture.gateway.clock.now, type: type)
                #expect(try await error(assertion) == "invalid_client", "\(type)")
            }
            let stranger = try AssertionMaker("signed", key: .generate(.es256, keyID: maker.key.publicKey.keyID))
            #expect(try await error(try stranger.assertion(at: fixture.gateway.clock.now)) == "invalid_client")
            let payload = try maker.assertion(at: fixture.gateway.clock.now).split(separator: ".")[1]
            for header in [#"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"ES256","jwk":{}}"#] {
                let head = Base64URL.encode(Array(header.utf8))
                for signature in [
                    "", Base64URL.encode(SecureRandom.bytes(32)), Base64URL.encode(SecureRandom.bytes(64)),
                ] {
                    #expect(try await error("\(head).\(payload).\(signature)") == "invalid_client", "\(header)")
                }
            }
        }
    }

    @Test("RFC 6749 §2.3 RFC 7521 §4.2 assertions that are doubled, mixed with secrets or incomplete are refused")
    func mixed() async throws {
        try await Self.with { fixture, maker in
            func status(
                _ fields: [(String, String)], headers: [(String, String)] = []
            ) async throws -> Int {
                try await fixture.post("introspect", fields + [("token", "x")], headers: headers).status
            }
            func assertion() throws -> String { try maker.assertion(at: fixture.gateway.clock.now) }
            let type = ("client_assertion_type", AssertionMaker.type)
            #expect(try await status(AssertionMaker.credentials(assertion()) + [("client_id", "signed")]) == 200)
            let refused: [[(String, String)]] = [
                AssertionMaker.credentials(try assertion()) + [("client_secret", OAuthFixture.secret)],
                AssertionMaker.credentials(try assertion()) + [("client_assertion", try assertion())],
                AssertionMaker.credentials(try assertion()) + [type],
                AssertionMaker.credentials(try assertion()) + [("client_id", "web")],
                AssertionMaker.credentials(try assertion()) + [("client_id", "other")],
                [("client_assertion", try assertion())], [type, ("client_id", "signed")], [("client_id", "signed")],
                [("client_id", "signed"), ("client_secret", "")],
                [("client_assertion_type", "urn:other"), ("client_assertion", try assertion())],
            ]
            for fields in refused {
                let answer = try await status(fields)
                #expect(answer == 400 || answer == 401, "\(fields.map(\.0)): \(answer)")
            }
            let basic = Data("signed:secret".utf8).base64EncodedString()
            let header = ("Authorization", "Basic " + basic)
            #expect(try await status(AssertionMaker.credentials(assertion()), headers: [header]) == 400)
            // Neither may a client with keys exchange or refresh like a public one.
            #expect(try await fixture.refresh("x", client: "signed").status == 401)
            #expect(try await fixture.exchange("x", client: "signed").status == 401)
        }
    }

    @Test(
        "RFC 9126 §2 the audience is the issuer, the token endpoint or the endpoint itself; with proofs the issuer only"
    )
    func audience() async throws {
        try await Self.with { fixture, maker in
            let bound = try AssertionMaker("bound", key: maker.key)
            let proofs = try ProofMaker()
            func isKnown(_ maker: AssertionMaker, at endpoint: String, _ audience: JSONValue) async throws -> Bool {
                let credentials = try maker.credentials(at: fixture.gateway.clock.now, [("aud", audience)])
                let fields = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("token", "x")]
                let proof = endpoint == "token" ? try fixture.tokenProof(proofs) : []
                return try await fixture.post(endpoint, credentials + fields, headers: proof).json?["error"]
                    != "invalid_client"
            }
            let endpoints = ["token", "par", "revoke", "introspect", "device_authorization"]
            for endpoint in endpoints {
                #expect(try await isKnown(maker, at: endpoint, .string(OAuthFixture.issuer)), "\(endpoint)")
                #expect(try await isKnown(bound, at: endpoint, .string(OAuthFixture.issuer)), "\(endpoint)")
                for named in endpoints {
                    let audience = JSONValue.string("\(OAuthFixture.issuer)/oauth2/\(named)")
                    let isAccepted = named == "token" || named == endpoint
                    for audience in [audience, [.string(OAuthFixture.issuer), audience]] {
                        #expect(
                            try await isKnown(maker, at: endpoint, audience) == isAccepted, "\(named) at \(endpoint)")
                    }
                    #expect(try await !isKnown(bound, at: endpoint, audience), "\(named) at \(endpoint)")
                }
            }
        }
    }

    @Test("an assertion is used once at several gateways, and a wrong signature uses no id up")
    func replay() async throws {
        try await Self.with { fixture, maker in
            let stranger = try AssertionMaker("signed", key: .generate(.es256, keyID: maker.key.publicKey.keyID))
            let id = JSONValue.string("one id")
            let forged = try stranger.assertion(at: fixture.gateway.clock.now, [("jti", id)])
            let real = try maker.assertion(at: fixture.gateway.clock.now, [("jti", id)])
            func status(_ assertion: String) async throws -> Int {
                try await fixture.post("introspect", AssertionMaker.credentials(assertion) + [("token", "x")]).status
            }
            #expect(try await status(forged) == 401)
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await status(real) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0 == 200 } == 1, "\(answers)")
        }
    }

    @Test("RFC 8414 §2 the metadata name the method and the algorithms")
    func metadata() async throws {
        try await OAuthFixture.with { fixture in
            let page = try await fixture.gateway.http.send("GET", "/.well-known/openid-configuration")
            for endpoint in ["token", "revocation", "introspection"] {
                let methods = page.json?["\(endpoint)_endpoint_auth_methods_supported"]?.array
                #expect(methods?.contains("private_key_jwt") == true)
                #expect(methods?.contains("none") == (endpoint != "introspection"))
                let algorithms = page.json?["\(endpoint)_endpoint_auth_signing_alg_values_supported"]
                #expect(algorithms == ["RS256", "PS256", "ES256", "EdDSA"])
            }
        }
    }

    @Test("keys are read without private members, and only sets with usable keys are accepted")
    func keys() throws {
        let key = try SigningKey.generate(.edDSA)
        let json = String(decoding: key.publicJSON.encoded(), as: UTF8.self)
        let keys = try #require(ClientKeys(#"{"keys":[\#(json.dropLast()),"d":"private"},{"kty":"oct","k":"AAAA"}]}"#))
        #expect(!keys.text.contains("private") && !keys.text.contains("oct") && keys.set.keys.count == 1)
        let many = Array(repeating: json, count: 9).joined(separator: ",")
        for text in ["", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, #"{"keys":[\#(many)]}"#, json]
        {
            #expect(ClientKeys(text) == nil, "\(text.prefix(40))")
        }
    }
}
