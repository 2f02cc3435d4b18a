import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// What of an address is believed about its authorization server.
@Suite(.timeLimit(.minutes(20))) struct OAuthDiscoveryTests {
    /// A metadata document that differs from a valid one, with `BASE` for the server's address.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var changes: [String: JSONValue]
        var refusal: String?
        var testDescription: String { name }

        init(_ name: String, _ changes: [String: JSONValue], _ refusal: String? = nil) {
            (self.name, self.changes, self.refusal) = (name, changes, refusal)
        }
    }

    static let cases = [
        Case("valid", [:]), Case("a slash after the issuer", ["issuer": "BASE/"]),
        Case("no list of methods", ["code_challenge_methods_supported": .null]),
        Case("another issuer", ["issuer": "https://evil.example"], "those of another issuer"),
        Case("an issuer with another path", ["issuer": "BASE/x"], "those of another issuer"),
        Case("no issuer", ["issuer": .null], "those of another issuer"),
        Case("an issuer that is no string", ["issuer": 7], "'issuer' in its metadata is not a string"),
        Case("no token endpoint", ["token_endpoint": .null], "no token endpoint"),
        Case("no authorization endpoint", ["authorization_endpoint": .null], "name no authorization endpoint"),
        Case("an endpoint that is a list", ["token_endpoint": ["BASE/t"]], "'token_endpoint' in its metadata is not a"),
        Case(
            "a token endpoint without encryption", ["token_endpoint": "http://evil.example/t"],
            "'token_endpoint' in its metadata does not use https"),
        Case(
            "an authorization endpoint without encryption", ["authorization_endpoint": "http://evil.example/t"],
            "'authorization_endpoint' in its metadata does not use https"),
        Case(
            "an endpoint with another scheme", ["authorization_endpoint": "javascript://127.0.0.1/%0aalert(1)"],
            "is not a web address"),
        Case("an endpoint with a user's name", ["token_endpoint": "https://a:b@c.example/"], "is not a web address"),
        Case("an endpoint with a fragment", ["token_endpoint": "BASE/t#x"], "is not a web address"),
        Case("plain PKCE", ["code_challenge_methods_supported": ["plain"]], "does not support PKCE with S256"),
        Case("no codes", ["response_types_supported": ["token"]], "does not support the authorization code flow"),
        Case("other grants", ["grant_types_supported": ["password"]], "does not support the authorization code flow"),
        Case(
            "scopes that are a string", ["scopes_supported": "openid"], "'scopes_supported' in its metadata is not an"),
        Case("a scope that is a number", ["scopes_supported": ["openid", 1]], "is not an array of strings"),
        Case(
            "a flag that is a string", ["authorization_response_iss_parameter_supported": "true"],
            "is neither true nor false"),
        Case("more than 64 KiB", ["x": .string(String(repeating: "x", count: 65_536))], "larger than 64 KiB"),
    ]

    @Test(
        "RFC 8414 §3.3 metadata are accepted only if they are complete and name the address as issuer", arguments: cases
    )
    func validMetadata(_ example: Case) async throws {
        var settings = OAuthScript.Settings()
        settings.metadata = example.changes
        let fixture = try OAuthFixture(settings)
        let latch = try await fixture.home.open()
        let report = try await latch.probe(fixture.address)
        guard let refusal = example.refusal else {
            let server = try #require(report.server, "\(String(describing: report.failure))")
            #expect(server.dialect.id.rawValue == "oauth" && server.address == fixture.address)
            #expect(server.features.signsInWithBrowser && !server.features.signsInWithPassword)
            return
        }
        #expect(report.server == nil && report.failure?.message.contains(refusal) == true, "\(report.steps)")
        await latch.close()
    }

    @Test("both well-known locations are found, below a path too")
    func places() async throws {
        for (path, place) in [
            ("", "/.well-known/oauth-authorization-server"), ("", "/.well-known/openid-configuration"),
            ("/realms/home", "/.well-known/oauth-authorization-server/realms/home"),
            ("/realms/home", "/realms/home/.well-known/openid-configuration"),
        ] {
            var settings = OAuthScript.Settings()
            settings.places = [place]
            settings.metadata = ["issuer": .string("BASE" + path)]
            let fixture = try OAuthFixture(settings)
            let latch = try await fixture.home.open()
            let server = try await fixture.server(latch, at: ServerAddress(fixture.address.url + path))
            #expect(server.dialect.details["issuer"] == fixture.address.url + path)
            #expect(server.dialect.details["metadata"] == fixture.address.url + place)
            await latch.close()
        }
    }

    @Test("metadata without a userinfo endpoint give way to those of OpenID Connect")
    func prefersOpenID() async throws {
        let fixture = try OAuthFixture()
        fixture.script.intercept { request in
            guard request.path == "/.well-known/oauth-authorization-server" else { return nil }
            let base = OAuthScript.base(of: request)
            return .json(
                #"{"issuer":"\#(base)","authorization_endpoint":"\#(base)/a","token_endpoint":"\#(base)/t"}"#)
        }
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        #expect(server.dialect.details["metadata"]?.hasSuffix("/.well-known/openid-configuration") == true)

        fixture.script.change { $0.places = [] }
        let plain = try await fixture.server(latch)
        #expect(plain.dialect.details["token_endpoint"] == fixture.address.url + "/t")
        #expect(plain.dialect.details["scope"]?.isEmpty == true)
        await latch.close()
    }

    @Test("RFC 9728 a protected address leads to its authorization server, on another host with a warning")
    func protected() async throws {
        let server = try OAuthFixture()
        let issuer = "http://localhost:\(server.wire.port)"
        let fixture = try OAuthFixture.protecting {
            $0.places = []
            $0.authorizationServer = issuer
            $0.resourceScopes = #"["email","notes.read","two words",7]"#
        }
        let latch = try await fixture.home.open()
        let report = try await latch.probe(fixture.address)
        let found = try report.requireServer()
        #expect(found.address == fixture.address && found.dialect.id.rawValue == "oauth")
        #expect(found.dialect.details["issuer"] == issuer)
        #expect(found.dialect.details["resource"] == fixture.address.url)
        let scopes = try #require(found.dialect.details["scope"]).split(separator: " ")
        #expect(scopes.last == "notes.read" && scopes.count { $0 == "email" } == 1 && !scopes.contains("two"))
        #expect(found.features.gateway?.url == issuer)
        #expect(found.features.warnings.contains { $0.contains("do not share a domain") })
        await latch.close()
    }

    @Test(
        "a protected address whose authorization server cannot be used is not a server",
        arguments: [
            ("http://id.example.org", "is not an https address"),
            ("https://a:b@id.example.org", "not an https address"),
            ("SELF/other", "its authorization server"), ("not an address", "is not an https address"),
        ])
    func badServer(_ issuer: String, _ refusal: String) async throws {
        let fixture = try OAuthFixture.protecting { $0.places = [] }
        fixture.script.change { $0.authorizationServer = issuer.replacing("SELF", with: fixture.address.url) }
        let latch = try await fixture.home.open()
        let report = try await latch.probe(fixture.address)
        #expect(report.server == nil && report.failure?.message.contains(refusal) == true, "\(report.steps)")
        await latch.close()
    }

    @Test("metadata of another resource are not used")
    func otherResource() async throws {
        let fixture = try OAuthFixture.protecting {
            $0.places = []
            $0.resource = "https://app.example.org"
        }
        let latch = try await fixture.home.open()
        let report = try await latch.probe(fixture.address)
        #expect(report.failure?.message.contains("are about 'https://app.example.org'") == true, "\(report.steps)")
        await latch.close()
    }

    @Test("a server of an own family is found as such, although it publishes metadata of OAuth")
    func ownFamiliesFirst() async throws {
        let (oauth, onyx) = (OAuthScript(), OnyxScript())
        let wire = try ScriptedServer { request in
            request.path.hasPrefix("/api/") ? onyx.response(request) : oauth.response(request)
        }
        let home = try HomeFixture()
        let latch = try await home.open()
        let server = try await latch.probe(ServerAddress("http://127.0.0.1:\(wire.port)")).requireServer()
        #expect(server.dialect.id.rawValue == "onyx")
        await latch.close()
    }

    @Test("the details of a server are restored with its account")
    func details() throws {
        let place = try #require(OAuthEndpoint("https://id.example.org/.well-known/oauth-authorization-server"))
        let document = #"""
            {"issuer":"https://id.example.org","authorization_endpoint":"https://id.example.org/a?x=1",
            "token_endpoint":"https://id.example.org/t","userinfo_endpoint":"https://id.example.org/u",
            "revocation_endpoint":"https://id.example.org/r","registration_endpoint":"https://id.example.org/c",
            "authorization_response_iss_parameter_supported":true}
            """#
        var dialect = OAuthDialect()
        dialect.server = try AuthorizationServer(
            parsing: Array(document.utf8), of: ["https://id.example.org"], at: place)
        dialect.resource = "https://app.example.org/"
        dialect.client = OAuthClient(id: "one", redirect: "http://127.0.0.1/callback")
        dialect.hasRefreshToken = true
        dialect.person = Identity(id: "7", email: "ada@example.org", name: "Ada")
        let restored = try #require(OAuthDialect().with(details: dialect.details) as? OAuthDialect)
        #expect(restored.details == dialect.details && restored.server == dialect.server)
        #expect(restored.person == dialect.person && restored.client == dialect.client)
        #expect(restored.refresh?.path == "/t" && restored.signOut(keyID: nil)?.path == "/r")
    }
}
