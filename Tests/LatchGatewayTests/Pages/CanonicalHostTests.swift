import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// The pages of a gateway at `https://id.example.org`, asked for on the hosts that are protected by it.
@Suite("The host of the pages", .timeLimit(.minutes(20)))
struct PageHomeTests {
    private static let home = "https://id.example.org"

    private func with(
        cookieDomain: String? = nil, publicURL: String? = home, _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        let hosts = try ["app.example.org", "*.cloud.example.org"].map { try #require(AccessHostPattern($0)) }
        try await GatewayFixture.withPages({ settings in
            settings.publicURL = publicURL
            settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
            settings.immich.isEnabled = true
            settings.verify.isEnabled = true
            settings.verify.cookieDomain = cookieDomain
            settings.verify.rules = AccessRules([
                AccessRule(name: "apps", hosts: hosts, paths: [], methods: [], admission: .signedIn)
            ])
        }) { fixture in
            try await body(fixture)
        }
    }

    private static func cookies(_ fixture: GatewayFixture) async throws -> [(String, String)] {
        let token = try await fixture.token()
        return ["__Host-latchd_session", "__Secure-latchd_session", "latchd_session"].map {
            ("Cookie", "\($0)=\(token)")
        }
    }

    /// Every page of somebody who is signed in, and every form but the sign-in and its end.
    private static func paths(_ fixture: GatewayFixture, _ method: HTTPMethod) -> [String] {
        fixture.gateway.router.routes.filter { $0.method == method && $0.pattern.hasPrefix("/latch/") }
            .map { $0.pattern.replacing("{}", with: "0a0a0a0a-0000-4000-8000-000000000000") }
            .filter { !$0.hasPrefix("/latch/sign-") }.sorted()
    }

    /// Hosts that a backend may be at, and the field by which the gateway hears of them.
    private static let sharedHostFields: [[(String, String)]] = [
        [("Host", "app.example.org")], [("Host", "APP.example.org:443")], [("Host", "a.cloud.example.org")],
        [("Host", "app.example.org:8443")], [("Host", "other.example.net")], [("Host", "id.example.org:8443")],
        [("Host", "id.example.org."), ("X-Forwarded-Host", "app.example.org")],
        [("Host", "id.example.org"), ("X-Forwarded-Host", "app.example.org")],
        // A script of the backend may say so itself, where the proxy lets it.
        [("Host", "app.example.org"), ("X-Forwarded-Host", "id.example.org")],
        [("Host", "app.example.org"), ("X-Forwarded-Host", "id.example.org"), ("X-Forwarded-Host", "id.example.org")],
        [("Host", "id.example.org"), ("X-Forwarded-Host", "id.example.org, app.example.org")],
    ]

    private static func send(
        _ fixture: GatewayFixture, _ method: HTTPMethod, _ path: String, _ fields: [(String, String)],
        body: String? = nil
    ) async throws -> Exchange.Response {
        let host = fields.first { $0.0 == "Host" }?.1 ?? "id.example.org"
        return try await fixture.http.send(
            method.rawValue, path, host: host, headers: fields.filter { $0.0 != "Host" }, body: body)
    }

    @Test("no form and no page with a person's data is served on a host that a backend may share")
    func sharedHosts() async throws {
        try await with { fixture in
            let cookies = try await Self.cookies(fixture)
            let (pages, forms) = (Self.paths(fixture, .get), Self.paths(fixture, .post))
            #expect(pages.count >= 6 && forms.count >= 8)
            for headers in Self.sharedHostFields {
                for path in pages {
                    let response = try await Self.send(fixture, .get, path, headers + cookies)
                    #expect([303, 421].contains(response.status), "\(headers) \(path): \(response.status)")
                    #expect(!response.text.contains(GatewayFixture.email) && !response.text.contains(FormTokens.field))
                    if response.status == 303 { #expect(response.next == Self.home + path) }
                }
                for path in forms {
                    let response = try await Self.send(
                        fixture, .post, path,
                        headers + cookies + [
                            ("Sec-Fetch-Site", "same-origin"), ("Content-Type", FormURLEncoded.mediaType),
                        ], body: "a=b")
                    #expect([403, 421].contains(response.status), "\(headers) \(path): \(response.status)")
                    #expect(response.text.contains("href=\"\(Self.home)/latch/account\""), "\(headers) \(path)")
                }
            }
        }
    }

    @Test(
        "they are served on the public host, as named by the browser or a proxy",
        arguments: [
            [("Host", "id.example.org")], [("Host", "ID.example.org:443")],
            [("Host", "latchd"), ("X-Forwarded-Host", "id.example.org")],
            [("Host", "127.0.0.1:2283"), ("X-Forwarded-Host", "id.example.org:443")],
        ])
    func publicHost(_ fields: [(String, String)]) async throws {
        try await with { fixture in
            let response = try await Self.send(fixture, .get, "/latch/account", fields + Self.cookies(fixture))
            #expect(response.status == 200 && response.text.contains(GatewayFixture.email))
        }
    }

    @Test(
        "a browser is redirected from a protected host to the public one, but not from an unknown host")
    func redirectsToPublicHost() async throws {
        try await with { fixture in
            let sent = try await Self.send(
                fixture, .get, "/latch/admin/sessions?after=5&x=%2F", [("Host", "app.example.org")])
            #expect(sent.status == 303)
            #expect(sent.next == Self.home + "/latch/admin/sessions?after=5&x=%2F")
            #expect(sent.headers["Cache-Control"] == "no-store")

            let proxy = try await Self.send(fixture, .get, "/latch/account", [("Host", "latchd:2283")])
            #expect(proxy.status == 421 && proxy.next == nil)
            #expect(proxy.text.contains("latchd:2283") && proxy.text.contains(Self.home + "/latch/account"))
        }
    }

    @Test("a forwarded host is accepted only from a trusted proxy")
    func untrustedProxy() async throws {
        try await with { fixture in
            let cookies = try await Self.cookies(fixture)
            let fields = [("Host", "127.0.0.1"), ("X-Forwarded-Host", "id.example.org")]
            #expect(try await Self.send(fixture, .get, "/latch/account", fields + cookies).status == 200)
        }
        try await GatewayFixture.withPages({ $0.publicURL = Self.home }) { fixture in
            let cookies = try await Self.cookies(fixture)
            let fields = [("Host", "127.0.0.1"), ("X-Forwarded-Host", "id.example.org")]
            #expect(try await Self.send(fixture, .get, "/latch/account", fields + cookies).status == 421)
        }
    }

    @Test("a host with its own cookie has only its own sign-in and sign-out")
    func ownSignIn() async throws {
        try await with { fixture in
            let host = [("Host", "app.example.org"), ("Sec-Fetch-Site", "same-origin")]
            let form = try await Self.send(fixture, .get, "/latch/sign-in", host)
            #expect(form.status == 200)
            let cookie = try #require(form.headers["Set-Cookie"]).prefix { $0 != ";" }
            let token = try #require(PageBrowser.hiddenFields(of: form.text).first?.1)
            let fields = [
                (FormTokens.field, token), ("username", GatewayFixture.email), ("password", GatewayFixture.password),
            ]

            let done = try await Self.send(
                fixture, .post, "/latch/sign-in",
                host + [("Cookie", String(cookie)), ("Content-Type", FormURLEncoded.mediaType)],
                body: FormURLEncoded.encode(fields))

            #expect(done.status == 200 && done.next == "/")
            let session = try #require(
                done.headers.values("Set-Cookie").first { $0.hasPrefix("__Host-latchd_session=") })
            let signedIn = host + [("Cookie", String(session.prefix { $0 != ";" }))]
            let page = try await Self.send(fixture, .get, "/latch/sign-in", signedIn)
            #expect(page.text.contains("You are signed in"))
            let out = try #require(PageBrowser.form("/latch/sign-out", in: page.text))
            let left = try await Self.send(
                fixture, .post, "/latch/sign-out", signedIn + [("Content-Type", FormURLEncoded.mediaType)],
                body: FormURLEncoded.encode(PageBrowser.hiddenFields(of: out)))
            #expect(left.status == 303 && left.next == "/latch/sign-in?done=out")
            #expect(try await fixture.gateway.stores.sessions.liveCount() == 0)
        }
    }

    @Test("if hosts share the cookie, the sign-in is only on the public host, and redirects back")
    func sharedCookie() async throws {
        try await with(cookieDomain: "example.org") { fixture in
            let host = [("Host", "app.example.org")]
            let query = FormURLEncoded.encode([("return", "https://app.example.org/photos?a=1")])
            for asked in ["/latch/sign-in?return=%2Fphotos%3Fa%3D1", "/latch/sign-in?\(query)"] {
                let sent = try await Self.send(fixture, .get, asked, host)
                #expect(sent.status == 303)
                #expect(sent.next == "\(Self.home)/latch/sign-in?\(query)")
                #expect(!sent.text.contains("password"))
            }
            for path in ["/latch/sign-in", "/latch/sign-out"] {
                let response = try await Self.send(
                    fixture, .post, path, host + Self.cookies(fixture) + [("Sec-Fetch-Site", "same-origin")],
                    body: "a=b")
                #expect(response.status == 403 && response.text.contains("only at the address of its pages"))
            }
            let other = try await Self.send(fixture, .get, "/latch/sign-in", [("Host", "app.example.net")])
            #expect(other.status == 421)
        }
    }

    @Test(
        "a port in the configured address must be in the request too",
        arguments: [
            ([("Host", "nas.lan:2283")], 200), ([("Host", "nas.lan:2283"), ("X-Forwarded-Host", "nas.lan")], 200),
            ([("Host", "latchd"), ("X-Forwarded-Host", "nas.lan:2283")], 200), ([("Host", "nas.lan")], 421),
            ([("Host", "nas.lan:80"), ("X-Forwarded-Host", "nas.lan")], 421),
            ([("Host", "nas.lan:2283"), ("X-Forwarded-Host", "nas.lan:8080")], 421),
            ([("Host", "latchd:2283"), ("X-Forwarded-Host", "nas.lan")], 421),
        ] as [([(String, String)], Int)])
    func port(_ fields: [(String, String)], _ status: Int) async throws {
        try await with(publicURL: "http://nas.lan:2283") { fixture in
            let cookies = try await Self.cookies(fixture)
            #expect(try await Self.send(fixture, .get, "/latch/account", fields + cookies).status == status)
        }
    }

    @Test("without a configured address the pages are served on every host")
    func noAddress() async throws {
        try await with(publicURL: nil) { fixture in
            let cookies = try await Self.cookies(fixture)
            let fields = [("Host", "192.0.2.7:2283")]
            #expect(try await Self.send(fixture, .get, "/latch/account", fields + cookies).status == 200)
        }
    }

    @Test(
        "over plain http without Fetch Metadata, a form must come from its own host or the public one",
        arguments: [
            ("nas.lan", "http://nas.lan", true), ("app.example.org", "http://app.example.org", true),
            ("app.example.org", "http://nas.lan", true), ("app.example.org", "https://app.example.org", false),
            ("app.example.org", "http://evil.lan", false), ("app.example.org", "http://app.example.org:81", false),
            ("app.example.org", "null", false), ("app.example.org", nil, false),
        ])
    func plainHTTP(_ host: String, _ origin: String?, _ isTaken: Bool) async throws {
        try await with(publicURL: "http://nas.lan") { fixture in
            let form = try await Self.send(fixture, .get, "/latch/sign-in", [("Host", host)])
            let cookie = try #require(form.headers["Set-Cookie"]).prefix { $0 != ";" }
            let token = try #require(PageBrowser.hiddenFields(of: form.text).first?.1)
            let fields = [
                (FormTokens.field, token), ("username", GatewayFixture.email), ("password", GatewayFixture.password),
            ]

            let done = try await Self.send(
                fixture, .post, "/latch/sign-in",
                [("Host", host), ("Cookie", String(cookie)), ("Content-Type", FormURLEncoded.mediaType)]
                    + (origin.map { [("Origin", $0)] } ?? []), body: FormURLEncoded.encode(fields))

            #expect(isTaken ? [200, 303].contains(done.status) : done.status == 403)
        }
    }
}
