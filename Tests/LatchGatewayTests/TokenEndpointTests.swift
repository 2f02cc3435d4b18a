import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite("Token endpoints", .timeLimit(.minutes(20)))
struct TokenEndpointTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    // MARK: - Introspection

    @Test("RFC 7662 §2.2 an active token is described, by Basic and by the form")
    func active() async throws {
        try await Self.with { fixture in
            let person = try await fixture.addPerson()
            let token = try await fixture.token()

            for (headers, fields) in [(Self.basic(), []), ([], Self.post())] {
                let response = try await fixture.ask(Self.introspect, [("token", token)] + fields, headers)
                #expect(response.status == 200)
                #expect(response.headers["Content-Type"] == "application/json")
                #expect(response.headers["Cache-Control"] == "no-store")
                #expect(response.json?["active"]?.bool == true)
                #expect(response.json?["token_type"]?.string == "Bearer")
                #expect(response.json?["sub"]?.string == person.id.uuidString.lowercased())
                #expect(response.json?["username"]?.string == GatewayFixture.email)
                #expect(response.json?["iss"]?.string == "https://latch.example/api")
                #expect(response.json?["iat"]?.number == fixture.clock.now.timeIntervalSince1970)
                #expect(response.json?["exp"]?.number ?? 0 > fixture.clock.now.timeIntervalSince1970)
                #expect(response.json?["email"]?.string == GatewayFixture.email)
                #expect(response.json?["email_verified"]?.bool == true)
                #expect(response.json?.members?.count == 9)
            }
        }
    }

    @Test("RFC 7662 §2.2 every inactive token gets the same response, without the reason")
    func inactive() async throws {
        try await Self.with { fixture in
            try await fixture.addPerson()
            try await fixture.addPerson("bob@example.org")
            let ended = try await fixture.token()
            _ = try await fixture.logout(ended)
            let disabled = try #require(try await fixture.login("bob@example.org").token)
            let bob = try #require(try await fixture.gateway.stores.people.find("bob@example.org"))
            try await fixture.gateway.stores.people.disable(bob.id)
            let expired = try await fixture.token()
            fixture.clock.advance(4_000 * day)

            for token in [ended, disabled, expired, String(repeating: "x", count: 43), "x", "a.b.c", "\u{0}", "ä"] {
                let response = try await fixture.ask(Self.introspect, [("token", token)], Self.basic())
                #expect(response.status == (token == "\u{0}" ? 400 : 200))
                if token != "\u{0}" { #expect(response.text == #"{"active":false}"#) }
            }
        }
    }

    @Test("RFC 7662 §2.1 an unknown client cannot learn whether a token is active")
    func clients() async throws {
        try await Self.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            let wrong: [([(String, String)], [(String, String)])] = [
                ([], []), ([], [("client_id", "reports")]), ([], [("client_secret", Self.secret)]),
                (Self.basic(secret: Self.secret + "x"), []), (Self.basic(secret: ""), []), (Self.basic("other"), []),
                (Self.basic(""), []), (Self.bearer(token), []), (Self.bearer(Self.secret), []),
                ([("Authorization", "Basic")], []), ([("Authorization", "Basic !!!")], []),
                ([("Authorization", "Basic cmVwb3J0cw==")], []), ([], Self.post(secret: "x")),
            ]
            for (headers, fields) in wrong {
                let response = try await fixture.ask(Self.introspect, [("token", token)] + fields, headers)
                #expect(response.status == 401)
                #expect(response.json?["error"]?.string == "invalid_client")
                #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Basic realm=") == true)
                #expect(!response.text.contains("active"))
            }
        }
    }

    @Test("RFC 6749 §2.3 two methods of client authentication in one request are refused")
    func twoAuthenticationMethods() async throws {
        try await Self.with { fixture in
            for (headers, fields) in [
                (Self.basic(), Self.post()), (Self.basic() + Self.basic(), []), ([], Self.post() + Self.post()),
                (Self.basic(), [("client_id", "other")]),
            ] {
                let response = try await fixture.ask(Self.introspect, [("token", "x")] + fields, headers)
                #expect(response.status == 400)
                #expect(response.json?["error"]?.string == "invalid_request")
            }
            let same = try await fixture.ask(
                Self.introspect, [("token", "x"), ("client_id", "reports")], Self.basic())
            #expect(same.text == #"{"active":false}"#)
        }
    }

    @Test("RFC 6749 §2.3.1 the client id and secret in Basic are form-encoded")
    func encodedBasic() async throws {
        let secret = "p%+ü:" + Self.secret
        try await GatewayFixture.with({
            $0.introspectionClients = [try! IntrospectionClient(id: "a:b c", secret: Secret(secret))]
        }) {
            let encoded = FormURLEncoded.encode([("a:b c", secret)]).replacing("=", with: ":")
            let credentials = Data(encoded.utf8).base64EncodedString()
            let response = try await $0.ask(
                Self.introspect, [("token", "x")], [("Authorization", "bASIC \(credentials)")])
            #expect(response.text == #"{"active":false}"#)
        }
    }

    @Test("a secret in Basic that is not form-encoded is accepted too, as many libraries send it")
    func unencodedBasic() async throws {
        for secret in ["a+b/" + Self.secret, "100%" + Self.secret, "%2B+" + Self.secret] {
            try await GatewayFixture.with({
                $0.introspectionClients = [try! IntrospectionClient(id: "reports", secret: Secret(secret))]
            }) {
                for (sent, status) in [(secret, 200), (secret + "+", 401), (secret.replacing("+", with: " "), 401)] {
                    let credentials = Data("reports:\(sent)".utf8).base64EncodedString()
                    let response = try await $0.ask(
                        Self.introspect, [("token", "x")], [("Authorization", "Basic \(credentials)")])
                    #expect(response.status == status || sent == secret.replacing("+", with: " "), "\(sent)")
                }
            }
        }
    }

    @Test("RFC 7662 §2.1 a request without one token, or without a form, is refused")
    func malformed() async throws {
        try await Self.with { fixture in
            for fields in [[], [("token", "")], [("token", "a"), ("token", "a")]] {
                let response = try await fixture.ask(Self.introspect, fields, Self.basic())
                #expect(response.status == 400)
                #expect(response.json?["error"]?.string == "invalid_request")
            }
            let json = try await fixture.http.send(
                "POST", Self.introspect, headers: Self.basic() + [("Content-Type", "application/json")],
                body: #"{"token":"x"}"#)
            #expect(json.status == 415)
            let query = try await fixture.http.send(
                "POST", Self.introspect + "?token=x",
                headers: Self.basic() + [("Content-Type", FormURLEncoded.mediaType)], body: "")
            #expect(query.status == 400)
            #expect(
                try await fixture.http.send("GET", Self.introspect + "?token=x", headers: Self.basic()).status == 405)
        }
    }

    @Test("introspection extends a session as use does")
    func use() async throws {
        try await Self.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            let sliding = fixture.gateway.stores.settings.sessions.sliding / .seconds(1)
            for _ in 0..<3 {
                fixture.clock.advance(sliding * 0.75)
                let response = try await fixture.ask(Self.introspect, [("token", token)], Self.basic())
                #expect(response.json?["active"]?.bool == true)
            }
        }
    }

    @Test("without introspection clients there is no introspection endpoint")
    func withoutClients() async throws {
        try await GatewayFixture.with { fixture in
            let response = try await fixture.ask(Self.introspect, [("token", "x")], Self.basic())
            #expect(response.status == 404)
        }
    }

    @Test("a short client secret is refused with the remedy")
    func shortSecret() throws {
        let error = try #require(throws: GatewayError.self) {
            try IntrospectionClient(id: "reports", secret: Secret("hunter2-hunter2"))
        }
        #expect(error.message.contains("openssl rand") && !error.message.leaks("hunter2-hunter2"))
    }

    // MARK: - Revocation

    @Test("RFC 7009 §2 a client with a token can revoke it, and that is audited")
    func revoke() async throws {
        try await Self.with { fixture in
            try await fixture.addPerson()
            for (headers, fields) in [
                ([], []), ([], [("client_id", "latch"), ("token_type_hint", "refresh_token")]), (Self.basic(), []),
                ([], Self.post()),
            ] as [([(String, String)], [(String, String)])] {
                let token = try await fixture.token()
                let response = try await fixture.ask(Self.revoke, [("token", token)] + fields, headers)
                #expect(response.status == 200)
                #expect(response.body.isEmpty)
                #expect(try await fixture.me(token).status == 403)
                #expect(fixture.lines.audit.last?["event"]?.string == "signed-out")
            }
        }
    }

    @Test("RFC 7009 §2.2 an unknown token is not an error, and no other session is affected")
    func unknown() async throws {
        try await Self.with { fixture in
            try await fixture.addPerson()
            let alive = try await fixture.token()
            let ended = try await fixture.token()
            _ = try await fixture.logout(ended)
            for token in ["x", ended, String(repeating: "x", count: 43)] {
                #expect(try await fixture.ask(Self.revoke, [("token", token)], []).status == 200)
            }
            #expect(try await fixture.me(alive).status == 200)
        }
    }

    @Test("unknown tokens in revocations and refreshes count for the address, and tokens of sessions do not")
    func unknownTokens() async throws {
        try await GatewayFixture.with({ $0.requestRates.address = .perMinute(4) }) { fixture in
            try await fixture.addPerson()
            let alive = try await fixture.token()
            let unknown = String(repeating: "x", count: 43)
            for _ in 0..<2 {
                #expect(try await fixture.ask(Self.revoke, [("token", unknown)], []).status == 200)
                #expect(try await fixture.refresh(unknown).status == 401)
            }
            let refused = try await fixture.ask(Self.revoke, [("token", unknown)], [])
            #expect(refused.status == 429 && refused.headers["Retry-After"] != nil)
            #expect(refused.json?["error"] == "temporarily_unavailable")
            #expect(try await fixture.refresh(unknown).status == 429)
            #expect(try await fixture.refresh(nil).status == 401)

            for _ in 0..<6 { #expect(try await fixture.refresh(alive).status == 200) }
            #expect(try await fixture.ask(Self.revoke, [("token", alive)], []).status == 200)
            #expect(try await fixture.me(alive).status == 403)
        }
    }

    @Test("RFC 7009 §2.1 a client that authenticates must use valid credentials")
    func revokingClient() async throws {
        try await Self.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for (headers, fields) in [
                (Self.basic(secret: "x"), []), (Self.basic("other"), []), ([], Self.post(secret: "x")),
                (Self.bearer(token), []),
            ] as [([(String, String)], [(String, String)])] {
                let response = try await fixture.ask(Self.revoke, [("token", token)] + fields, headers)
                #expect(response.status == 401)
            }
            #expect(try await fixture.ask(Self.revoke, [], []).status == 400)
            #expect(try await fixture.me(token).status == 200)
        }
    }

    @Test("OX-16 neither a token nor a client's secret is in the log")
    func log() async throws {
        try await Self.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            _ = try await fixture.ask(Self.introspect, [("token", token)], Self.basic())
            _ = try await fixture.ask(Self.introspect, [("token", token)], Self.basic(secret: "wrong-secret"))
            _ = try await fixture.ask(Self.revoke, [("token", token)], [])
            let text = fixture.lines.text
            #expect(!text.leaks(token) && !text.leaks(Self.secret) && !text.leaks("wrong-secret"))
        }
    }

    // MARK: - Metadata

    @Test(
        "the metadata list the endpoints at latchd's own well-known path, and not at that of an OAuth server"
    )
    func metadata() async throws {
        try await Self.with { fixture in
            let response = try await fixture.http.send("GET", "/.well-known/latchd/api")
            #expect(response.status == 200)
            #expect(response.headers["Content-Type"] == "application/json")
            let wanted: [String: JSONValue] = [
                "issuer": "https://latch.example/api",
                "revocation_endpoint": "https://latch.example/api/auth/revoke",
                "revocation_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
                "introspection_endpoint": "https://latch.example/api/auth/introspect",
                "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            ]
            for (name, value) in wanted { #expect(response.json?[name] == value) }
            #expect(response.json?.members?.count == wanted.count)
            // RFC 8414 §2 requires a token endpoint and response types; there are none, so there is no such document.
            let names = ["oauth-authorization-server", "openid-configuration", "oauth-authorization-server/api"]
            for path in names + ["latchd", "openid-configuration/api"] {
                #expect(try await fixture.http.send("GET", "/.well-known/" + path).status == 404, "\(path)")
            }
            #expect(try await fixture.http.send("GET", "/api/.well-known/latchd").status == 404)
        }
    }

    @Test("without introspection clients the metadata contain no introspection endpoint")
    func leanMetadata() async throws {
        try await GatewayFixture.with({
            $0.publicURL = "https://latch.example"
            $0.bridge.prefix = ""
        }) { fixture in
            let response = try await fixture.http.send("GET", "/.well-known/latchd")
            #expect(response.json?["issuer"]?.string == "https://latch.example")
            #expect(response.json?["introspection_endpoint"] == nil)
            #expect(response.json?["revocation_endpoint_auth_methods_supported"] == ["none"])
        }
    }

    @Test("a server without a public address serves metadata only on loopback")
    func noAddress() async throws {
        try await GatewayFixture.with { fixture in
            let path = "/.well-known/latchd/api"
            for (host, issuer) in [("127.0.0.1:81", "http://127.0.0.1:81/api"), ("localhost", "http://localhost/api")] {
                let response = try await fixture.http.send("GET", path, host: host)
                #expect(response.json?["issuer"]?.string == issuer)
                #expect(response.json?["loopback_redirects_supported"] == nil)
            }
            let otherHost = try await fixture.http.send("GET", path, host: "latch.example")
            #expect(otherHost.status == 404)
        }
    }

    @Test(
        "RFC 8414 §3.1 path insertion",
        arguments: [
            ("https://a.example", ""), ("https://a.example/", ""), ("https://a.example/api", "/api"),
            ("http://a.example:8080/x/api", "/x/api"),
        ])
    func insertion(_ address: String, _ path: String) {
        #expect(LatchdMetadata.path(of: address) == "/.well-known/latchd" + path)
    }

    // MARK: -

    private static let introspect = "/api/auth/introspect"
    private static let revoke = "/api/auth/revoke"

    private static func with(_ body: (GatewayFixture) async throws -> Void) async throws {
        let client = try IntrospectionClient(id: "reports", secret: Secret(secret))
        try await GatewayFixture.with(
            {
                $0.publicURL = "https://latch.example"
                $0.introspectionClients = [client]
            }, body)
    }

    private static func basic(_ id: String = "reports", secret: String = secret) -> [(String, String)] {
        [("Authorization", "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())")]
    }

    private static func post(secret: String = secret) -> [(String, String)] {
        [("client_id", "reports"), ("client_secret", secret)]
    }

    private static func bearer(_ token: String) -> [(String, String)] { GatewayFixture.bearer(token) }
}

extension GatewayFixture {
    /// Posts a form to an endpoint.
    fileprivate func ask(
        _ path: String, _ fields: [(String, String)], _ headers: [(String, String)]
    ) async throws -> Exchange.Response {
        try await http.send(
            "POST", path, headers: headers + [("Content-Type", FormURLEncoded.mediaType)],
            body: FormURLEncoded.encode(fields))
    }
}
