import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import HTTPServer
@testable import LatchGateway

/// The limit on sign-ins through identity providers, whose callers nobody knows yet.
@Suite(.timeLimit(.minutes(20))) struct SignInLimitTests {
    @Test(
        "OX-2 TT-3 IM-7 every route of a sign-in through a provider counts against the client's address, in every dialect"
    )
    func everyRoute() async throws {
        try await EveryRoute.with {
            $0.requestRates.address = .perMinute(1)
        } _: { fixture in
            let routes = fixture.gateway.router.routes.filter { route in
                let path = route.pattern
                // A provider's report of a sign-out, and a redirect that stores nothing, are limited elsewhere or not at all.
                guard !path.hasSuffix("/backchannel-logout"), !path.hasSuffix("/mobile-redirect") else { return false }
                let ends = ["/auth/callback", "/auth/token", "/sso/exchange"]
                return path.contains("/oauth/") || ends.contains { path.hasSuffix($0) }
            }
            for prefix in ["/api/auth/", "/im/oauth/", "/tt/auth/callback", "/tt/auth/token"] {
                #expect(routes.contains { $0.pattern.hasPrefix(prefix) }, "\(prefix)")
            }
            for route in routes {
                _ = try await fixture.http.send(route.method.rawValue, route.pattern)
                let response = try await fixture.http.send(route.method.rawValue, route.pattern)
                #expect(response.status == 429 && response.headers["Retry-After"] != nil, "\(route)")
            }
        }
    }
}
