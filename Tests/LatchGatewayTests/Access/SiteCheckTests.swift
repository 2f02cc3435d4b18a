import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import HTTPServer
@testable import LatchGateway

/// Requests that a page of another origin makes a browser send.
@Suite("Requests from pages of other origins", .timeLimit(.minutes(20)))
struct SiteCheckTests {
    /// What a browser sends with a form or a picture of another site's page, of a sibling's page, and where it does not name
    /// the site.
    private static let loads: [[(String, String)]] = [
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
        [("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "cors"), ("Origin", "https://evil.example.org")],
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")],
    ]
    private static let foreignOrigins: [[(String, String)]] = [
        [("Origin", "https://evil.example")], [("Origin", "null")],
        [("Origin", "http://127.0.0.1"), ("Origin", "https://evil.example")],
    ]
    private static let navigation = [
        ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
    ]
    private static let prefetch = [
        ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
        ("Sec-Purpose", "prefetch"),
    ]
    private static let callbacks: Set = [BridgeFixture.callback, "/tt/auth/callback"]
    private static let form = ("Content-Type", FormURLEncoded.mediaType)

    /// What scripts of pages of other origins send.
    private static let scripts: [[(String, String)]] = [
        [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty"),
            ("Origin", "https://spa.example"),
        ],
        [("Origin", "https://spa.example")],
        // What `sendBeacon` sends.
        [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "empty"),
            ("Origin", "https://spa.example"),
        ],
    ]
    /// What pages of other origins send to these routes without a script.
    private static let withoutScript: [[(String, String)]] = [
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
        [
            ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "image"),
            ("Origin", "https://evil.example.org"),
        ],
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")], prefetch,
    ]
    /// The origins of apps and extensions, as they send them.
    private static let programs: [[(String, String)]] = [
        [("Origin", "tauri://localhost")], [("Origin", "capacitor://localhost")], [("Origin", "ionic://localhost")],
        [("Origin", "app://-")], [("Origin", "file://")],
        [
            ("Origin", "moz-extension://7f1a"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"),
            ("Sec-Fetch-Dest", "empty"),
        ],
        [
            ("Origin", "chrome-extension://abc"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "cors"),
            ("Sec-Fetch-Dest", "empty"),
        ],
    ]

    /// The public documents, and the routes that check their requests themselves.
    private static func isOpen(_ route: Router.Route) -> Bool {
        route.pattern == "/auth/verify" || route.pattern.hasPrefix("/.well-known/oauth-")
            || ["/oauth2/jwks", "/.well-known/openid-configuration", "/healthz", "/readyz", "/metrics"]
                .contains(route.pattern)
            || route.pattern.hasPrefix("/.well-known/latchd")
    }

    /// The routes for scripts of pages of other origins.
    private static func isForScripts(_ route: Router.Route) -> Bool {
        ["/oauth2/token", "/oauth2/userinfo", "/oauth2/revoke", "/oauth2/register", "/oauth2/par"]
            .contains(route.pattern)
    }

    /// The routes to which applications send browsers, also with forms.
    private static func isForForms(_ route: Router.Route) -> Bool {
        isForFrames(route) || route.pattern == "/oauth2/device"
    }

    /// The routes to which applications send browsers, also in frames.
    private static func isForFrames(_ route: Router.Route) -> Bool {
        ["/oauth2/authorize", "/oauth2/end_session"].contains(route.pattern)
    }

    private static func send(
        _ fixture: GatewayFixture, _ route: Router.Route, _ fields: [(String, String)]
    ) async throws -> Exchange.Response {
        let path = route.pattern.replacing("{}", with: "0a0a0a0a-0000-4000-8000-000000000000")
            .replacing("{*}", with: "x")
        let hasBody = ![.get, .head].contains(route.method)
        return try await fixture.http.send(
            route.method.rawValue, path, headers: fields + (hasBody ? [form] : []),
            body: hasBody ? "username=ada%40example.org&password=wrong" : nil)
    }

    @Test("every route refuses what another origin's page loads from it, except the routes for such pages")
    func everyRoute() async throws {
        try await EveryRoute.with { fixture in
            var count = 0
            for route in fixture.gateway.router.routes
            where route.method != .options && !Self.isOpen(route) && !Self.isForScripts(route) {
                // The callbacks take forms of identity providers.
                let isCallback = Self.callbacks.contains(route.pattern) || Self.isForForms(route)
                let isInFrame = Self.isForFrames(route)
                for fields in Self.loads.dropLast(isInFrame ? 1 : 0) + (isCallback ? [] : Self.foreignOrigins) + [
                    Self.prefetch
                ] {
                    let response = try await Self.send(fixture, route, fields)
                    #expect(response.status == 403, "\(route) \(fields): \(response.status)")
                }
                if ![.get, .head].contains(route.method), !isCallback {
                    let response = try await Self.send(fixture, route, Self.navigation)
                    #expect(response.status == 403, "\(route): \(response.status)")
                }
                count += 1
            }
            #expect(count > 100)
        }
    }

    @Test("the routes for scripts of other origins refuse what no script loads, and say so")
    func scriptsOfOtherOrigins() async throws {
        try await EveryRoute.with { fixture in
            let routes = fixture.gateway.router.routes.filter { $0.method != .options && Self.isForScripts($0) }
            #expect(routes.count == 6)
            for route in routes {
                let isPost = ![.get, .head].contains(route.method)
                for fields in Self.withoutScript + (isPost ? [Self.navigation] : []) {
                    let response = try await Self.send(fixture, route, fields)
                    #expect(response.status == 403, "\(route) \(fields): \(response.status)")
                    #expect(response.headers["Access-Control-Allow-Origin"] == "*", "\(route) \(fields)")
                    #expect(response.json?["error"] == "invalid_request", "\(route) \(fields)")
                }
                let expected = try await Self.send(fixture, route, [])
                for fields in Self.scripts {
                    let response = try await Self.send(fixture, route, fields)
                    #expect(response.status == expected.status && expected.status != 403, "\(route) \(fields)")
                    #expect(response.headers["Access-Control-Allow-Origin"] == "*", "\(route) \(fields)")
                }
            }
        }
    }

    @Test("every route serves programs whose origin is no web page, and programs with a token and any origin")
    func programsWithOrigins() async throws {
        try await EveryRoute.with { fixture in
            let foreign = [("Origin", "http://tauri.localhost")]
            let refused: [[(String, String)]] = [
                [], [("Authorization", "Basic eA==")],
                [("Authorization", "Bearer none"), ("Cookie", "latchd_session=none")],
            ]
            for route in fixture.gateway.router.routes where route.method != .options {
                // The pages check their forms themselves, and take them from their own pages only.
                guard route.method != .post || !route.pattern.hasPrefix("/latch/"), !Self.isOpen(route) else {
                    continue
                }
                func status(_ fields: [(String, String)]) async throws -> Int {
                    try await Self.send(fixture, route, fields).status
                }
                let expected = try await status([])
                for fields in Self.programs {
                    #expect(try await status(fields) == expected, "\(route) \(fields)")
                }
                for scheme in ["Bearer", "DPoP"] {
                    let token = [("Authorization", scheme + " none")]
                    let own = try await status(token)
                    #expect(try await status(foreign + token) == own, "\(route) \(scheme)")
                }
                guard !Self.isForScripts(route), !Self.isForForms(route),
                    !Self.callbacks.contains(route.pattern)
                else { continue }
                for fields in refused {
                    #expect(try await status(foreign + fields) == 403, "\(route) \(fields)")
                }
                for origin in ["null", "HTTPS://evil.example", "https:evil.example", "://x"] {
                    #expect(try await status([("Origin", origin)]) == 403, "\(route) \(origin)")
                }
            }
        }
    }

    @Test("an app with an origin of its own signs in with the password, and one with the origin of a page does not")
    func passwordsOfPrograms() async throws {
        try await EveryRoute.with { fixture in
            #expect(try await fixture.login(headers: [("Origin", "tauri://localhost")]).status == 200)
            #expect(try await fixture.login(headers: [("Origin", "http://tauri.localhost")]).status == 403)
            let token = try await fixture.token()
            let me = try await fixture.http.send(
                "GET", "/api/me", headers: GatewayFixture.bearer(token) + [("Origin", "http://tauri.localhost")])
            #expect(me.status == 200)
        }
    }

    @Test("scripts and frames of other origins use up only what such pages may send from their visitor's address")
    func otherPages() async throws {
        let frame = [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe"),
        ]
        let basic = [("Authorization", "Basic d2ViOndyb25n")]
        let loads: [(method: String, path: String, client: String, fields: [(String, String)])] = [
            ("GET", "/oauth2/authorize?client_id=none", "", frame), ("GET", "/oauth2/end_session", "", frame),
            ("GET", "/oauth2/userinfo", "", Self.scripts[0]), ("POST", "/oauth2/token", "app", Self.scripts[0]),
            ("POST", "/oauth2/token", "app", Self.scripts[1]),
            ("POST", "/oauth2/token", "web", Self.scripts[0] + basic),
            ("POST", "/oauth2/revoke", "app", Self.scripts[0]),
        ]
        for load in loads {
            try await OAuthFixture.with({ $0.requestRates.address = .perMinute(5) }) { fixture in
                let http = fixture.gateway.http
                var last = 0
                for _ in 1...10 {
                    let response = try await http.send(
                        load.method, load.path, headers: load.fields + (load.method == "POST" ? [Self.form] : []),
                        body: load.method == "POST"
                            ? "client_id=\(load.client)&grant_type=authorization_code&code=x" : nil)
                    last = response.status
                }
                #expect(last == 429, "\(load.path) \(load.fields)")
                let metrics = try await http.send("GET", "/metrics").text
                #expect(metrics.contains(#"latchd_requests_limited_total{limit="other_pages"} 5"#), "\(load.path)")
                let path = "/oauth2/authorize?" + FormURLEncoded.encode(fixture.parameters)
                for fields in [Self.navigation, [("Sec-Fetch-Site", "none")], []] {
                    #expect(try await http.send("GET", path, headers: fields).status == 303, "\(load.path)")
                }
                #expect(try await fixture.post("token", [("client_id", "app")]).status == 400, "\(load.path)")
            }
        }
    }

    @Test(
        "a frame gets no code without the question or the sign-in that a client asks for",
        arguments: [
            ("none", nil), ("login", "login_required"), ("consent", "consent_required"),
            ("select_account", "consent_required"),
        ])
    func promptsInFrames(prompt: String, error: String?) async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.respond(to: fixture.webParameters)
            fixture.gateway.clock.advance(1)
            let session = try fixture.browser.browser.cookies["latchd_session"].orThrow
            let fields = fixture.webParameters + [("prompt", prompt)]
            let response = try await fixture.gateway.http.send(
                "GET", "/oauth2/authorize?" + FormURLEncoded.encode(fields),
                headers: [
                    ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe"),
                    ("Cookie", "latchd_session=\(session)"),
                ])
            let answer = try OAuthFixture.fields(of: response)
            #expect(answer["error"] == error && (answer["code"] == nil) == (error != nil))
        }
    }

    @Test("an application asks in a frame whether somebody is signed in, and signs out there")
    func frames() async throws {
        try await OAuthFixture.with { fixture in
            for site in ["cross-site", "same-site"] {
                let frame = [
                    ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe"),
                ]
                let fields = fixture.webParameters + [("prompt", "none")]
                let silent = try await fixture.gateway.http.send(
                    "GET", "/oauth2/authorize?" + FormURLEncoded.encode(fields), headers: frame)
                #expect(try OAuthFixture.fields(of: silent)["error"] == "login_required")
                // Without 'prompt=none' nothing is kept for a page either, because none is shown in a frame.
                let long = FormURLEncoded.encode(
                    OAuthFixture.replacing(
                        fixture.webParameters, [("nonce", String(repeating: "n", count: 1_000)), ("prompt", "login")]))
                for posts in [false, true] {
                    let asking = try await fixture.gateway.http.send(
                        posts ? "POST" : "GET", "/oauth2/authorize" + (posts ? "" : "?" + long),
                        headers: frame + (posts ? [Self.form] : []), body: posts ? long : nil)
                    #expect(try OAuthFixture.fields(of: asking)["error"] == "login_required")
                    #expect(asking.headers["Set-Cookie"] == nil)
                }
                let out = try await fixture.gateway.http.send(
                    "GET", "/oauth2/end_session?client_id=web", headers: frame)
                #expect(out.status == 303)
                for place in ["embed", "object", "image"] {
                    let other = frame.dropLast() + [("Sec-Fetch-Dest", place)]
                    let response = try await fixture.gateway.http.send(
                        "GET", "/oauth2/end_session?client_id=web", headers: Array(other))
                    #expect(response.status == 403, "\(place)")
                }
            }
        }
    }

    @Test("browsers can be sent to every route from another site, and to the callbacks with a form")
    func navigations() async throws {
        try await EveryRoute.with { fixture in
            for route in fixture.gateway.router.routes where [.get, .head].contains(route.method) {
                // Without a page, as a request of this server's own pages or of a program gets it.
                let expected = try await Self.send(fixture, route, [])
                for fields in [Self.navigation, [("Sec-Fetch-Site", "none")], [("Sec-Fetch-Site", "same-origin")]] {
                    let response = try await Self.send(fixture, route, fields)
                    #expect(response.status == expected.status, "\(route) \(fields): \(response.status)")
                }
            }
            let callbacks = fixture.gateway.router.routes.filter {
                $0.method == .post && Self.callbacks.contains($0.pattern)
            }
            #expect(callbacks.count == Self.callbacks.count)
            for callback in callbacks {
                for fields in [Self.navigation, [("Origin", "null")], [("Origin", "https://provider.example")]] {
                    #expect(try await Self.send(fixture, callback, fields).status == 400, "\(callback) \(fields)")
                }
            }
        }
    }

    @Test("a page of another site can neither lock its visitor's account nor use up what the address may do")
    func lockout() async throws {
        try await BridgeFixture.with(["google"], { $0.requestRates.address = .perMinute(5) }) { fixture in
            try await fixture.base.addPerson()
            let load = Self.loads[0]
            for _ in 1...60 {
                let guess = try await fixture.base.http.send(
                    "POST", "/api/auth/mobile/login", headers: load + [Self.form],
                    body: "username=ada%40example.org&password=wrong")
                #expect(guess.status == 403)
                let start = try await fixture.base.http.send(
                    "GET", "/api/auth/oauth/authorize?redirect=true&next=/", headers: load)
                #expect(start.status == 403 && start.headers.values("Set-Cookie").isEmpty)
            }
            #expect(try await fixture.base.login().status == 200)
            let start = try await fixture.base.http.send(
                "GET", "/api/auth/oauth/authorize?redirect=true&next=/", headers: Self.navigation)
            #expect(start.status == 302)
        }
    }
}
