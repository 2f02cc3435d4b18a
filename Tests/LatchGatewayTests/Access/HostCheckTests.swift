import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import ForwardAuth
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

@Suite("Host validation", .timeLimit(.minutes(20)))
struct HostCheckTests {
    private static let probes: Set = ["/healthz", "/readyz", "/auth/verify"]

    private static func with(
        publicURL: String? = "https://latch.example", _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        try await TimeTrackerFixture.with { settings in
            settings.publicURL = publicURL
            settings.immich.isEnabled = true
            settings.immich.prefix = "/immich"
            settings.relateMail.isEnabled = true
            settings.relateMail.prefix = "/mail"
            settings.pages.isEnabled = true
            settings.verify.isEnabled = true
            settings.verify.rules = AccessRules(
                [
                    AccessRule(named: "app", hosts: ["app.example.org"], admission: .signedIn)
                ].compactMap { $0 })
            settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        } _: {
            try await body($0.base)
        }
    }

    private static func send(
        _ fixture: GatewayFixture, _ route: Router.Route, _ host: String, _ fields: [(String, String)] = []
    ) async throws -> Int {
        let path = route.pattern.replacing("{}", with: "0a0a0a0a-0000-4000-8000-000000000000")
            .replacing("{*}", with: "x")
        return try await fixture.http.send(
            route.method.rawValue, path, host: host, headers: fields,
            body: [.get, .head].contains(route.method) ? nil : ""
        ).status
    }

    @Test("Every route refuses another site's host name with 421, except those for probes and proxies")
    func everyRoute() async throws {
        try await Self.with { fixture in
            let invented: [[(String, String)]] = [[], [("X-Forwarded-Host", "latch.example")]]
            for route in fixture.gateway.router.routes {
                for host in ["evil.example", "latch.example.evil.example", "latch.example."] {
                    for fields in invented {
                        let status = try await Self.send(fixture, route, host, fields)
                        #expect((status == 421) == !Self.probes.contains(route.pattern), "\(route) \(host): \(status)")
                    }
                }
                let response = try await Self.send(
                    fixture, route, "latch.example", [("X-Forwarded-Host", "evil.example")])
                #expect((response == 421) == !Self.probes.contains(route.pattern), "\(route): \(response)")
            }
        }
    }

    @Test(
        "Every route accepts its own host name in capitals, with a port, through a proxy, and on loopback")
    func ownHost() async throws {
        try await Self.with { fixture in
            let variants: [(String, [(String, String)])] = [
                ("latch.example", []), ("LATCH.example:8443", []), ("127.0.0.1:2283", []), ("localhost", []),
                ("latchd:2283", [("X-Forwarded-Host", "latch.example")]),
                ("10.0.0.7:2283", [("X-Forwarded-Host", "latch.example")]),
            ]
            // Pages, and the paths that redirect to them, are served only at public_url.
            let pages = fixture.gateway.stores.settings.pages.prefix
            let others = fixture.gateway.router.routes.filter {
                !$0.pattern.hasPrefix(pages + "/") && ![pages, "/"].contains($0.pattern)
            }
            for route in others {
                for (host, fields) in variants {
                    let status = try await Self.send(fixture, route, host, fields)
                    #expect(status != 421, "\(route) at \(host)")
                }
            }
        }
    }

    @Test("A protected host serves only the sign-in and the metadata")
    func protected() async throws {
        try await Self.with { fixture in
            for route in fixture.gateway.router.routes {
                let isThere =
                    Self.probes.contains(route.pattern) || route.pattern.hasPrefix("/latch/")
                    || route.pattern.hasPrefix(ForwardAuthRoutes.wellKnown)
                let status = try await Self.send(fixture, route, "app.example.org")
                #expect((status == 421) == !isThere, "\(route): \(status)")
            }
        }
    }

    @Test("A monitor can read the metrics at an IP address or a host name without a dot")
    func monitoring() async throws {
        try await Self.with { fixture in
            for (host, isAnswered) in [
                ("10.1.2.3:2283", true), ("latchd:2283", true), ("[fd00::1]:2283", true), ("latch.example", true),
                ("evil.example", false), ("metrics.evil.example:2283", false),
            ] {
                let status = try await fixture.http.send("GET", "/metrics", host: host).status
                #expect((status != 421) == isAnswered, "\(host)")
            }
        }
    }

    /// Forward authentication with rules for every host, behind a proxy on this machine.
    private static func verifyWithoutHosts(_ settings: inout GatewaySettings) {
        settings.publicURL = "https://latch.example"
        settings.verify.isEnabled = true
        settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
    }

    @Test("Rules without hosts do not allow another site's host name, whatever other fields the request has")
    func rulesOfAllHosts() async throws {
        try await GatewayFixture.with(Self.verifyWithoutHosts) { fixture in
            let response = try await fixture.http.send(
                "GET", "/api/auth/type", host: "evil.example", headers: [("X-Forwarded-Host", "latch.example")])
            #expect(response.status == 421)
        }
    }

    @Test("If no rule names a host, the sign-in is served only on hosts that a trusted proxy sends")
    func rulesWithoutHosts() async throws {
        try await GatewayFixture.withPages(Self.verifyWithoutHosts) { fixture in
            for path in ["/latch/sign-in", ForwardAuthRoutes.wellKnown] {
                for (host, told, isServed) in [
                    ("evil.example", nil, false), ("evil.example", "evil.example", false),
                    ("evil.example", "latch.example", false), ("latchd:2283", "app.example.org", true),
                    ("127.0.0.1:2283", "app.example.org", true), ("latch.example", nil, true),
                ] as [(String, String?, Bool)] {
                    let fields = told.map { [("X-Forwarded-Host", $0)] } ?? []
                    let status = try await fixture.http.send("GET", path, host: host, headers: fields).status
                    #expect((status != 421) == isServed, "\(path) \(host) \(told ?? "")")
                }
            }
        }
    }

    @Test("Without a configured address every host name is accepted")
    func unconfigured() async throws {
        try await GatewayFixture.with { fixture in
            let response = try await fixture.http.send("GET", "/api/auth/type", host: "evil.example")
            #expect(response.status == 200)
        }
    }

    @Test("The refusal uses the dialect's error format")
    func envelopes() async throws {
        try await Self.with { fixture in
            let onyx = try await fixture.http.send("GET", "/api/auth/type", host: "evil.example")
            #expect(onyx.json?["detail"]?.string?.contains("public_url") == true)
            let timeTracker = try await fixture.http.send("GET", "/tt/auth/me", host: "evil.example")
            #expect(timeTracker.json?["error"]?.string?.contains("public_url") == true)
            let page = try await fixture.http.send("GET", "/latch/sign-in", host: "evil.example")
            #expect(String(decoding: page.body, as: UTF8.self).contains("https://latch.example/latch/account"))
        }
    }
}
