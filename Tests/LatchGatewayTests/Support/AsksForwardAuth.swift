import FoundationEssentials
import HTTPMessages
import HTTPServer
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Tests that ask a gateway as a proxy does, by forward authentication.
protocol AsksForwardAuth {}

extension AsksForwardAuth {
    /// A gateway at `https://id.example.org` that trusts this machine, with rules for `app.example.org`.
    func with(
        cookieDomain: String? = nil, pages: Bool = true, trusted: String = "127.0.0.0/8",
        change: (inout GatewaySettings) -> Void = { _ in }, _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        try await GatewayFixture.with { settings in
            settings.publicURL = "https://id.example.org"
            settings.trustedProxies = TrustedProxies([IPNetwork(trusted)].compactMap { $0 })
            settings.pages.isEnabled = pages
            settings.verify.isEnabled = true
            settings.verify.cookieDomain = cookieDomain
            settings.verify.rules.rules = [
                Self.rule("health", paths: ["/health", "/share/*"], allow: .everybody),
                Self.rule("read", paths: ["/feed/*"], methods: [.get], allow: .everybody),
                Self.rule("admin", paths: ["/admin/*"], groups: ["admins"]),
                Self.rule("ada", paths: ["/ada/*"], users: ["Ada@example.org"]),
                Self.rule("off", paths: ["/off/*"], allow: .nobody),
                Self.rule("dav", paths: ["/dav/*"], acceptsKeys: true),
                Self.rule("bob", paths: ["/bob/*"], users: ["bob@example.org"], acceptsKeys: true),
                Self.rule("apps"),
            ]
            change(&settings)
        } _: {
            try await body($0)
        }
    }

    static func rule(
        _ name: String, paths: [String] = [], methods: [HTTPMethod] = [], allow: AccessDraft.Allowance = .signedIn,
        users: [String] = [], groups: [String] = [], acceptsKeys: Bool = false
    ) -> AccessRule {
        AccessDraft(
            hosts: ["app.example.org"], paths: paths, methods: methods, allow: allow, users: users, groups: groups,
            acceptsKeys: acceptsKeys
        ).rule(name)
    }

    func ask(
        _ fixture: GatewayFixture, _ path: String = "/photos", method: String = "GET", token: String? = nil,
        query: String = "", _ more: [(String, String)] = []
    ) async throws -> Exchange.Response {
        let identity = [
            ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", method),
            ("X-Forwarded-Uri", path),
        ]
        return try await fixture.http.send(
            "GET", "/auth/verify" + query, headers: identity + GatewayFixture.bearer(token) + more)
    }

    /// The fields of a browser that opens a page.
    static var browser: [(String, String)] { [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")] }
}
