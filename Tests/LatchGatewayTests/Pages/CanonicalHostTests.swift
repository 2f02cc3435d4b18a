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
@Suite("The pages' own address", .timeLimit(.minutes(20)))
struct PageHomeTests {
    private static let home = "https://id.example.org"

    private func with(
        cookieDomain: String? = nil, publicURL: String? = home, _ body: (Bench) async throws -> Void
    ) async throws {
        let hosts = try ["app.example.org", "*.cloud.example.org"].map { try #require(AccessHostPattern($0)) }
        try await Bench.withPages({ settings in
            settings.publicURL = publicURL
            settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
            settings.immich.isEnabled = true
            settings.verify.isEnabled = true
            settings.verify.cookieDomain = cookieDomain
            settings.verify.rules = AccessRules([
                AccessRule(name: "apps", hosts: hosts, paths: [], methods: [], admission: .signedIn)
            ])
        }) { bench in
            try await body(bench)
        }
    }

    private static func cookies(_ bench: Bench) async throws -> [(String, String)] {
        let token = try await bench.token()
        return ["__Host-latchd_session", "__Secure-latchd_session", "latchd_session"].map {
            ("Cookie", "\($0)=\(token)")
        }
    }

    /// Every page of somebody who is signed in, and every form but the sign-in and its end.
    private static func paths(_ bench: Bench, _ method: HTTPMethod) -> [String] {
        bench.gateway.router.routes.filter { $0.method == method && $0.pattern.hasPrefix("/latch/") }
            .map { $0.pattern.replacing("{}", with: "0a0a0a0a-0000-4000-8000-000000000000") }
            .filter { !$0.hasPrefix("/latch/sign-") }.sorted()
    }

    /// Hosts that a backend may be at, and the field by which the gateway hears of them.
    private static let strangers: [[(String, String)]] = [
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
        _ bench: Bench, _ method: HTTPMethod, _ path: String, _ fields: [(String, String)], body: String? = nil
    ) async throws -> Exchange.Answer {
        let host = fields.first { $0.0 == "Host" }?.1 ?? "id.example.org"
        return try await bench.http.send(
            method.rawValue, path, host: host, headers: fields.filter { $0.0 != "Host" }, body: body)
    }

    @Test("no page with a person's data, and no form, is served on a host that a backend may share")
    func strangers() async throws {
        try await with { bench in
            let cookies = try await Self.cookies(bench)
            let (pages, forms) = (Self.paths(bench, .get), Self.paths(bench, .post))
            #expect(pages.count >= 6 && forms.count >= 8)
            for stranger in Self.strangers {
                for path in pages {
                    let answer = try await Self.send(bench, .get, path, stranger + cookies)
                    #expect([303, 421].contains(answer.status), "\(stranger) \(path): \(answer.status)")
                    #expect(!answer.text.contains(Bench.email) && !answer.text.contains(FormTokens.field))
                    if answer.status == 303 { #expect(answer.headers["Location"] == Self.home + path) }
                }
                for path in forms {
                    let answer = try await Self.send(
                        bench, .post, path,
                        stranger + cookies + [
                            ("Sec-Fetch-Site", "same-origin"), ("Content-Type", FormURLEncoded.mediaType),
                        ], body: "a=b")
                    #expect([403, 421].contains(answer.status), "\(stranger) \(path): \(answer.status)")
                    #expect(answer.text.contains("href=\"\(Self.home)/latch/account\""), "\(stranger) \(path)")
                }
            }
        }
    }

    @Test(
        "at home they are served, as the browser or a proxy names it",
        arguments: [
            [("Host", "id.example.org")], [("Host", "ID.example.org:443")],
            [("Host", "latchd"), ("X-Forwarded-Host", "id.example.org")],
            [("Host", "127.0.0.1:2283"), ("X-Forwarded-Host", "id.example.org:443")],
        ])
    func served(_ fields: [(String, String)]) async throws {
        try await with { bench in
            let answer = try await Self.send(bench, .get, "/latch/account", fields + Self.cookies(bench))
            #expect(answer.status == 200 && answer.text.contains(Bench.email))
        }
    }

    @Test(
        "a browser on a protected host is sent home with its query; from an unknown one it is told, and not sent round")
    func sentHome() async throws {
        try await with { bench in
            let sent = try await Self.send(
                bench, .get, "/latch/admin/sessions?after=5&x=%2F", [("Host", "app.example.org")])
            #expect(sent.status == 303)
            #expect(sent.headers["Location"] == Self.home + "/latch/admin/sessions?after=5&x=%2F")
            #expect(sent.headers["Cache-Control"] == "no-store")

            let proxy = try await Self.send(bench, .get, "/latch/account", [("Host", "latchd:2283")])
            #expect(proxy.status == 421 && proxy.headers["Location"] == nil)
            #expect(proxy.text.contains("latchd:2283") && proxy.text.contains(Self.home + "/latch/account"))
        }
    }

    @Test("a host's word is believed from a trusted proxy alone")
    func untrustedProxy() async throws {
        try await with { bench in
            let cookies = try await Self.cookies(bench)
            let fields = [("Host", "127.0.0.1"), ("X-Forwarded-Host", "id.example.org")]
            #expect(try await Self.send(bench, .get, "/latch/account", fields + cookies).status == 200)
        }
        try await Bench.withPages({ $0.publicURL = Self.home }) { bench in
            let cookies = try await Self.cookies(bench)
            let fields = [("Host", "127.0.0.1"), ("X-Forwarded-Host", "id.example.org")]
            #expect(try await Self.send(bench, .get, "/latch/account", fields + cookies).status == 421)
        }
    }

    @Test("a host with a cookie of its own has its own sign-in and sign-out, and nothing else")
    func ownSignIn() async throws {
        try await with { bench in
            let host = [("Host", "app.example.org"), ("Sec-Fetch-Site", "same-origin")]
            let form = try await Self.send(bench, .get, "/latch/sign-in", host)
            #expect(form.status == 200)
            let cookie = try #require(form.headers["Set-Cookie"]).prefix { $0 != ";" }
            let token = try #require(PageBrowser.hiddenFields(of: form.text).first?.1)
            let fields = [(FormTokens.field, token), ("username", Bench.email), ("password", Bench.password)]

            let done = try await Self.send(
                bench, .post, "/latch/sign-in",
                host + [("Cookie", String(cookie)), ("Content-Type", FormURLEncoded.mediaType)],
                body: FormURLEncoded.encode(fields))

            #expect(done.status == 303 && done.headers["Location"] == "/")
            let session = try #require(
                done.headers.values("Set-Cookie").first { $0.hasPrefix("__Host-latchd_session=") })
            let signedIn = host + [("Cookie", String(session.prefix { $0 != ";" }))]
            let page = try await Self.send(bench, .get, "/latch/sign-in", signedIn)
            #expect(page.text.contains("You are signed in"))
            let out = try #require(PageBrowser.form("/latch/sign-out", in: page.text))
            let left = try await Self.send(
                bench, .post, "/latch/sign-out", signedIn + [("Content-Type", FormURLEncoded.mediaType)],
                body: FormURLEncoded.encode(PageBrowser.hiddenFields(of: out)))
            #expect(left.status == 303 && left.headers["Location"] == "/latch/sign-in?done=out")
            #expect(try await bench.gateway.stores.sessions.liveCount() == 0)
        }
    }

    @Test("where hosts share the cookie, the sign-in too is at home alone, and leads back")
    func sharedCookie() async throws {
        try await with(cookieDomain: "example.org") { bench in
            let host = [("Host", "app.example.org")]
            let query = FormURLEncoded.encode([("return", "https://app.example.org/photos?a=1")])
            for asked in ["/latch/sign-in?return=%2Fphotos%3Fa%3D1", "/latch/sign-in?\(query)"] {
                let sent = try await Self.send(bench, .get, asked, host)
                #expect(sent.status == 303)
                #expect(sent.headers["Location"] == "\(Self.home)/latch/sign-in?\(query)")
                #expect(!sent.text.contains("password"))
            }
            for path in ["/latch/sign-in", "/latch/sign-out"] {
                let answer = try await Self.send(
                    bench, .post, path, host + Self.cookies(bench) + [("Sec-Fetch-Site", "same-origin")], body: "a=b")
                #expect(answer.status == 403 && answer.text.contains("only at the address of its pages"))
            }
            let other = try await Self.send(bench, .get, "/latch/sign-in", [("Host", "app.example.net")])
            #expect(other.status == 421)
        }
    }

    @Test(
        "a port that is in the configured address is in the request too",
        arguments: [
            ([("Host", "nas.lan:2283")], 200), ([("Host", "nas.lan:2283"), ("X-Forwarded-Host", "nas.lan")], 200),
            ([("Host", "latchd"), ("X-Forwarded-Host", "nas.lan:2283")], 200), ([("Host", "nas.lan")], 421),
            ([("Host", "nas.lan:80"), ("X-Forwarded-Host", "nas.lan")], 421),
            ([("Host", "nas.lan:2283"), ("X-Forwarded-Host", "nas.lan:8080")], 421),
            ([("Host", "latchd:2283"), ("X-Forwarded-Host", "nas.lan")], 421),
        ] as [([(String, String)], Int)])
    func port(_ fields: [(String, String)], _ status: Int) async throws {
        try await with(publicURL: "http://nas.lan:2283") { bench in
            let cookies = try await Self.cookies(bench)
            #expect(try await Self.send(bench, .get, "/latch/account", fields + cookies).status == status)
        }
    }

    @Test("without a configured address the pages are served wherever they are asked for")
    func noAddress() async throws {
        try await with(publicURL: nil) { bench in
            let cookies = try await Self.cookies(bench)
            let fields = [("Host", "192.0.2.7:2283")]
            #expect(try await Self.send(bench, .get, "/latch/account", fields + cookies).status == 200)
        }
    }

    @Test(
        "over plain http, where browsers leave Fetch Metadata out, a form comes from its own host or from home",
        arguments: [
            ("nas.lan", "http://nas.lan", true), ("app.example.org", "http://app.example.org", true),
            ("app.example.org", "http://nas.lan", true), ("app.example.org", "https://app.example.org", false),
            ("app.example.org", "http://evil.lan", false), ("app.example.org", "http://app.example.org:81", false),
            ("app.example.org", "null", false), ("app.example.org", nil, false),
        ])
    func plainHTTP(_ host: String, _ origin: String?, _ isTaken: Bool) async throws {
        try await with(publicURL: "http://nas.lan") { bench in
            let form = try await Self.send(bench, .get, "/latch/sign-in", [("Host", host)])
            let cookie = try #require(form.headers["Set-Cookie"]).prefix { $0 != ";" }
            let token = try #require(PageBrowser.hiddenFields(of: form.text).first?.1)
            let fields = [(FormTokens.field, token), ("username", Bench.email), ("password", Bench.password)]

            let done = try await Self.send(
                bench, .post, "/latch/sign-in",
                [("Host", host), ("Cookie", String(cookie)), ("Content-Type", FormURLEncoded.mediaType)]
                    + (origin.map { [("Origin", $0)] } ?? []), body: FormURLEncoded.encode(fields))

            #expect(done.status == (isTaken ? 303 : 403))
        }
    }
}
