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

    /// The routes for pages of other origins, and those that check their requests themselves.
    private static func isOpen(_ route: Router.Route) -> Bool {
        let programs = ["/oauth2/par", "/oauth2/device_authorization", "/oauth2/introspect"]
        if route.pattern.hasPrefix("/oauth2/") { return !programs.contains(route.pattern) && !isForDocuments(route) }
        return route.pattern == "/auth/verify" || route.pattern.hasPrefix("/.well-known/oauth-")
            || ["/.well-known/openid-configuration", "/healthz", "/readyz", "/metrics"].contains(route.pattern)
            || route.pattern.hasPrefix("/.well-known/latchd")
    }

    /// The routes to which applications send browsers, also with forms and in frames.
    private static func isForDocuments(_ route: Router.Route) -> Bool {
        ["/oauth2/authorize", "/oauth2/device", "/oauth2/end_session"].contains(route.pattern)
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
            for route in fixture.gateway.router.routes where route.method != .options && !Self.isOpen(route) {
                // The callbacks take forms of identity providers.
                let isCallback = Self.callbacks.contains(route.pattern) || Self.isForDocuments(route)
                let isInFrame = Self.isForDocuments(route)
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
