import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
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

    /// The ways to sign in through a provider.
    private enum Way: CaseIterable {
        case app, browser, timeTracker, timeTrackerInApp
    }

    @Test(
        "a sign-in that began before a sign-out everywhere is refused, and one that began afterwards is not",
        arguments: Way.allCases)
    private func signedOutMeanwhile(_ way: Way) async throws {
        let callback: TimeTrackerSettings.Callback = way == .timeTrackerInApp ? .app : .gateway
        try await TimeTrackerFixture.with(callback: callback) { tracker in
            let bridge = tracker.bridge
            let ada = try await tracker.base.addPerson()
            let sessions = tracker.base.gateway.stores.sessions
            let app = AppSignIn()
            func begin(_ browser: TestBrowser) async throws -> FormFields {
                switch way {
                case .app: return try await bridge.begin(app, in: browser)
                case .browser:
                    let start = try await browser.send("GET", "/api/auth/oauth/authorize?redirect=true")
                    return try bridge.google.request(start.next).orThrow
                case .timeTracker, .timeTrackerInApp: return try await tracker.begin(browser)
                }
            }
            func finish(_ request: FormFields, _ browser: TestBrowser) async throws {
                let fields = try bridge.google.approve(request, .init())
                switch way {
                case .timeTrackerInApp: _ = try await tracker.exchange(FormFields(fields.map { ($0.0, $0.1) }))
                case .timeTracker:
                    let response = try await tracker.returnToGateway(fields, in: browser)
                    guard let link = try? TimeTrackerFixture.fields(of: response) else { return }
                    _ = try await tracker.exchange(link)
                case .app:
                    let response = try await bridge.returnToGateway(fields, in: browser)
                    _ = try await bridge.exchange(try BridgeFixture.fields(of: response)["code"], app.verifier)
                case .browser: _ = try await bridge.returnToGateway(fields, in: browser)
                }
            }
            for _ in 1...2 {
                let browser = bridge.browser()
                let request = try await begin(browser)
                tracker.clock.advance(1)
                _ = try await sessions.revokeAll(of: ada.id)
                try await finish(request, browser)
                #expect(try await sessions.live(of: ada.id).isEmpty)
                let event = tracker.base.lines.audit.last { $0["event"]?.string == "sign-in-failed" }
                #expect(event?["reason"]?.string == "signed-out")

                // In the same second, which is all that the gateway knows.
                let later = bridge.browser()
                try await finish(try await begin(later), later)
                #expect(try await sessions.live(of: ada.id).count == 1)
            }
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
