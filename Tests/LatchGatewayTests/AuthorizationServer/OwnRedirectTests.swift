import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Redirects of clients on the hosts of this server.
@Suite("Redirects on own hosts", .timeLimit(.minutes(20)))
struct OwnRedirectTests: ReadsConfigurations {
    private static func settings(_ change: (inout GatewaySettings) -> Void = { _ in }) -> GatewaySettings {
        var settings = GatewaySettings(databasePath: nil)
        settings.publicURL = "https://latch.example:8443"
        settings.verify.isEnabled = true
        settings.verify.cookieDomain = "home.example"
        settings.verify.rules.rules = [
            AccessRule(named: "apps", hosts: ["app.example.org", "*.tree.example"], admission: .signedIn)
        ].compactMap { $0 }
        change(&settings)
        return settings
    }

    @Test(
        "the server's own host, protected hosts and those with its cookie are its own, whatever the port and the case")
    func hosts() {
        let settings = Self.settings()
        let table: [(String, OwnHost?)] = [
            ("https://latch.example:8443/callback", .server), ("https://latch.example/callback", .server),
            ("https://LATCH.example?x", .server), ("https://latch.example", .server),
            ("https://latch.example.org/", nil), ("https://other.latch.example/", nil),
            ("https://app.example.org/callback", .protected), ("https://App.Example.org:444/", .protected),
            ("https://a.tree.example/", .protected), ("https://tree.example/", nil),
            ("https://home.example/", .protected), ("https://wiki.home.example:8080/", .protected),
            ("https://wiki.example/callback", nil), ("com.example.app:/callback", nil),
            ("latch.example:/callback", nil), ("http://127.0.0.1/callback", nil), ("http://localhost:1/", nil),
        ]
        for (address, host) in table { #expect(settings.ownHost(ofRedirect: address) == host, "\(address)") }

        let plain = Self.settings { $0.verify.isEnabled = false }
        #expect(plain.ownHost(ofRedirect: "https://app.example.org/") == nil)
        #expect(plain.ownHost(ofRedirect: "https://latch.example/") == .server)
        // Rules without hosts protect what the proxies send here, which shares the cookie or is unknown.
        let all = Self.settings {
            $0.verify.rules.rules = [AccessRule(named: "all", hosts: [], admission: .signedIn)].compactMap { $0 }
            $0.verify.cookieDomain = nil
        }
        #expect(all.ownHost(ofRedirect: "https://wiki.example/callback") == nil)
    }

    private static let address = "https://latch.example"

    private static func with(_ body: (OAuthFixture) async throws -> Void) async throws {
        try await OAuthFixture.with(
            { settings in
                settings.publicURL = address
                settings.authorizationServer.registration.isEnabled = true
            }, body)
    }

    private static func send(
        _ method: String, _ path: String, _ members: [(String, JSONValue)], _ fixture: OAuthFixture,
        token: String? = nil
    ) async throws -> Exchange.Response {
        let body = JSONValue.object(members.map { .init($0.0, $0.1) }).encoded()
        return try await fixture.gateway.http.send(
            method, path, headers: [("Content-Type", JSON.mediaType)] + GatewayFixture.bearer(token),
            body: String(decoding: body, as: UTF8.self))
    }

    private static let own = [
        "https://latch.example/auth/logout", "https://latch.example:8443/x", "https://app.example.org/callback",
    ]

    @Test("RFC 7591 §3.2.2 a client that registers itself gets no redirect on a host of this server, then or later")
    func registration() async throws {
        try await Self.with { fixture in
            let good: [(String, JSONValue)] = [
                ("redirect_uris", [.string(OAuthFixture.webRedirect)]), ("token_endpoint_auth_method", "none"),
            ]
            let made = try await Self.send("POST", "/oauth2/register", good, fixture)
            let id = try #require(made.json?["client_id"]?.string)
            let token = try #require(made.json?["registration_access_token"]?.string)
            for address in Self.own {
                let lists: [[(String, JSONValue)]] = [
                    [("redirect_uris", [.string(OAuthFixture.webRedirect), .string(address)]), good[1]],
                    good + [("post_logout_redirect_uris", [.string(address)])],
                ]
                for list in lists {
                    let refused = try await Self.send("POST", "/oauth2/register", list, fixture)
                    #expect(refused.status == 400 && refused.json?["error"] == "invalid_redirect_uri", "\(address)")
                    let changed = try await Self.send(
                        "PUT", "/oauth2/register/" + id, list + [("client_id", .string(id))], fixture, token: token)
                    #expect(changed.status == 400 && changed.json?["error"] == "invalid_redirect_uri", "\(address)")
                }
            }
            #expect(try await fixture.gateway.gateway.stores.clients.list().count { $0.registration != nil } == 1)
        }
    }

    @Test("a client that registered such a redirect before cannot use it, and one of an administrator can")
    func use() async throws {
        try await Self.with { fixture in
            let clients = fixture.gateway.gateway.stores.clients
            let old = RegisteredClient(
                id: "old", name: "Old", secretHash: nil, redirects: Self.own,
                registration: ClientRegistration(tokenHash: SHA256.digest("token"), method: .none))
            try await clients.register(old, from: AddressKey(nil), maximum: 100)
            let added = try await clients.add(name: "Added", redirects: Self.own, isConfidential: false).client
            for address in Self.own {
                for (id, isUsable) in [("old", false), (added.id, true)] {
                    let request = OAuthFixture.replacing(
                        fixture.parameters, [("client_id", id), ("redirect_uri", address)])
                    let pushed = try await fixture.post("par", request)
                    #expect(pushed.status == (isUsable ? 201 : 400), "\(id) \(address)")
                    let page = try await fixture.gateway.http.send(
                        "GET", "/oauth2/authorize?" + FormURLEncoded.encode(request), host: "latch.example")
                    #expect((page.status != 400) == isUsable, "\(id) \(address)")
                }
            }
        }
    }

    @Test("the configuration warns of a redirect on the server's own host")
    func configuration() throws {
        func warnings(_ redirect: String) throws -> [String] {
            try readSettings(
                """
                public_url: https://latch.example
                pages: {enabled: true}
                oauth: {enabled: true, clients: {wiki: {redirects: '\(redirect)'}}}
                """
            ).warnings.filter { $0.contains("wiki") }
        }
        #expect(try warnings("https://wiki.example/callback").isEmpty)
        let found = try warnings("https://latch.example/wiki/callback")
        #expect(found.count == 1 && found[0].contains("on the host of this server"))
    }
}
