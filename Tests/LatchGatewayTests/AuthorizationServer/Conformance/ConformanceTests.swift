import Crypto
import Foundation
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore

/// The conformance suite's modules that this project tests itself, by their names.
@Suite("OpenID conformance", .timeLimit(.minutes(20)))
struct ConformanceTests {
    static let cases =
        BasicPlan.cases(.basic) + BasicPlan.cases(.formPost) + ConfigurationPlan.cases + DynamicPlan.cases
        + LogoutPlan.cases + FAPI2Plan.cases

    @Test("OpenID Connect and FAPI 2.0: a module of the conformance suite", arguments: cases)
    func module(_ module: ConformanceCase) async throws {
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.registration.isEnabled = true
            settings.authorizationServer.clients[1] = RegisteredClient(
                id: "web", name: "Example Web", secretHash: SHA256.digest(OAuthFixture.secret),
                redirects: [OAuthFixture.webRedirect],
                signOut: ClientSignOutSettings(redirects: [LogoutPlan.redirect], address: nil))
        }) { fixture in
            let mode = module.plan == .formPost ? "form_post" : nil
            try await module.check(ConformanceRun(fixture: fixture, mode: mode))
        }
    }

    @Test func `docs/conformance.md lists every module, its plan and its outcome`() throws {
        let text = try String(
            contentsOfFile: Products.packageFolder + "/docs/conformance.md", encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        var expected: [String] = []
        for module in Self.cases {
            expected.append("| `\(module.name)` | \(module.plan.rawValue) | \(module.outcome.rawValue) |")
        }
        #expect(Set(rows) == Set(expected), "\(expected.joined(separator: "\n"))")
        #expect(rows.count == expected.count)
    }
}
