import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway

/// Answers of a provider that tell less, or to another route, than they should.
@Suite(.timeLimit(.minutes(20)))
struct OldSignInTests {
    @Test("OX-3 a sign-in with an unreadable time counts as old, and the log says why")
    func unreadableTime() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            var account = SmallProvider.Account()
            account.authTime = "yesterday"
            let code = try await fixture.deepLink(app, as: account)["code"]
            let token = try await fixture.exchange(code, app.verifier).token.orThrow
            let session = try #require(try await fixture.base.gateway.issuer.authenticate(token).session)
            #expect(session.authenticated == Date(timeIntervalSince1970: 0))
            #expect(throws: GatewayError.self) {
                try SensitiveAction.makeKey.requireRecent(session.authenticated, at: fixture.base.clock.now)
            }
            #expect(fixture.base.lines.text.contains("'auth_time' that is not valid"))
        }
    }

    @Test("TT-3 a sign-in that began in one dialect cannot end at another dialect's callback")
    func otherDialectsCallback() async throws {
        try await TimeTrackerFixture.with { tracker in
            try await tracker.base.addPerson()
            let browser = tracker.bridge.browser()
            let google = try tracker.bridge.google
            let start = try await browser.send("GET", "/tt/auth/login?next=/photos")
            let request = try google.request(start.headers["Location"]).orThrow
            let response = try await tracker.returnToGateway(
                google.approve(request), in: browser, path: BridgeFixture.callback)
            #expect(response.headers["Location"] == nil && browser.cookies.isEmpty)
            #expect(google.exchanges == 0)
        }
    }

    @Test("OX-7 an invalid e-mail address is refused, and the audit log says so")
    func invalidEmail() async throws {
        try await BridgeFixture.with { fixture in
            let refused = try await fixture.deepLink(AppSignIn(), as: .init(subject: "new-1", email: "a@b@example.org"))
            #expect(refused["error"] == "access_denied")
            let event = fixture.base.lines.audit.last { $0["event"]?.string == "sign-in-failed" }
            #expect(event?["reason"]?.string == "invalid-email")
        }
    }
}
