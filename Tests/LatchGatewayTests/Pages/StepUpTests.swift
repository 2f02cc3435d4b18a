import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What needs a sign-in of the last minutes, for people who come in through an identity provider where they stay signed in.
@Suite("Step-up sign-in through a provider", .timeLimit(.minutes(20)))
struct StepUpTests {
    private static let endOthers = "/latch/account/devices/end-others"

    private func with(_ body: (BridgeFixture, PageBrowser) async throws -> Void) async throws {
        try await BridgeFixture.with(["google"], { $0.pages.isEnabled = true }) { fixture in
            try await fixture.base.addPerson()
            try await body(fixture, PageBrowser(fixture.base))
        }
    }

    /// When somebody signed in at the provider, that many seconds from now.
    private static func account(_ seconds: Double?, _ fixture: BridgeFixture) -> SmallProvider.Account {
        var account = SmallProvider.Account()
        account.authTime = seconds.map { .number(fixture.base.clock.now.timeIntervalSince1970.rounded(.down) + $0) }
        return account
    }

    /// Goes by the button of a page to the provider and comes back; what the provider was asked, and the gateway's answer.
    private func signInAtProvider(
        _ page: String, _ person: PageBrowser, _ fixture: BridgeFixture, as account: SmallProvider.Account
    ) async throws -> (FormFields, Exchange.Response) {
        let text = try await person.get(page).text
        let link = String(try (text.firstMatch(of: /href="([^"]*google\/authorize[^"]*)"/)?.1).orThrow)
        let start = try await person.get(link.replacing("&amp;", with: "&"))
        let request = try fixture.google.request(start.next).orThrow
        return (
            request, try await fixture.returnToGateway(try fixture.google.approve(request, account), in: person.browser)
        )
    }

    private func signIn(_ seconds: Double?, _ person: PageBrowser, _ fixture: BridgeFixture) async throws {
        let (request, response) = try await signInAtProvider(
            "/latch/sign-in", person, fixture, as: Self.account(seconds, fixture))
        #expect(request["max_age"] == nil && response.status == 302)
    }

    @Test("a person whose sign-in at the provider is too old must sign in there again, and is redirected back")
    func requiresNewSignIn() async throws {
        try await with { fixture, person in
            try await signIn(-3_600, person, fixture)
            let other = try await fixture.base.token()
            let asked = try await person.submit(Self.endOthers, on: "/latch/account")
            let page = try #require(asked.next)
            #expect(page == "/latch/sign-in?return=%2Flatch%2Faccount&again=1")
            #expect(try await fixture.base.me(other).status == 200)

            let (request, back) = try await signInAtProvider(page, person, fixture, as: Self.account(0, fixture))

            #expect(request["prompt"] == "login" && request["max_age"] == "0")
            let on = try await person.get(try #require(back.next))
            #expect(on.next == "/latch/account")
            let done = try await person.submitAndConfirm(Self.endOthers, on: "/latch/account")
            #expect(done.next == "/latch/account?done=others")
            #expect(try await fixture.base.me(other).status == 403)
        }
    }

    @Test(
        "a provider that ignores max_age or sends no auth_time does not confirm the sign-in",
        arguments: [
            (-3_600.0, "sign out there"), (-120, "sign out there"), (nil, "password"), (3_600, "administrator"),
        ]
            as [(Double?, String)])
    func hostile(_ seconds: Double?, _ remedy: String) async throws {
        try await with { fixture, person in
            try await signIn(-3_600, person, fixture)
            let other = try await fixture.base.token()
            let before = try #require(person.browser.cookies["latchd_session"])

            let page = "/latch/sign-in?return=%2Flatch%2Faccount&again=1"
            let (_, back) = try await signInAtProvider(page, person, fixture, as: Self.account(seconds, fixture))

            #expect([400, 403].contains(back.status) && back.next == nil)
            #expect(back.text.lowercased().contains(remedy), "\(back.text)")
            #expect(person.browser.cookies["latchd_session"] == before)
            let asked = try await person.submit(Self.endOthers, on: "/latch/account")
            #expect(asked.next == page)
            #expect(try await fixture.base.me(other).status == 200)
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 2)
        }
    }

    @Test("without auth_time, the first sign-in counts from its own time, and for no longer than any other")
    func withoutAuthTime() async throws {
        try await with { fixture, person in
            try await signIn(nil, person, fixture)
            _ = try await fixture.base.token()
            fixture.base.clock.advance(599)
            let done = try await person.submitAndConfirm(Self.endOthers, on: "/latch/account")
            #expect(done.next?.contains("done=others") == true)
            _ = try await fixture.base.token()
            fixture.base.clock.advance(2)
            let asked = try await person.submit(Self.endOthers, on: "/latch/account")
            #expect(asked.next?.contains("again=1") == true)
        }
    }

    @Test("an app that requires a fresh sign-in gets no code for an old one, and its session keeps the time")
    func app() async throws {
        try await with { fixture, _ in
            for (seconds, isGood) in [(0.0, true), (-3_600, false), (nil, false)] as [(Double?, Bool)] {
                let app = AppSignIn()
                let browser = fixture.browser()
                let start = try await browser.send(
                    "GET", "\(BridgeFixture.authorize)?\(app.query([("again", "true")]))")
                let request = try fixture.google.request(start.next).orThrow
                let fields = try BridgeFixture.fields(
                    of: try await fixture.returnToGateway(
                        try fixture.google.approve(request, Self.account(seconds, fixture)), in: browser))
                #expect((fields["code"] != nil) == isGood)
                #expect(fields["error"] == (isGood ? nil : "login_required"))
            }
            let app = AppSignIn()
            let account = Self.account(-3_600, fixture)
            let code = try await fixture.deepLink(app, as: account)["code"]
            fixture.base.clock.advance(30)
            let token = try #require(try await fixture.exchange(code, app.verifier).token)
            let session = try await session(of: token, fixture)
            #expect(session.created == fixture.base.clock.now)
            #expect(session.authenticated.timeIntervalSince1970 == account.authTime?.number)
        }
    }

    @Test("a session's sign-in is never later than its start, and a session created from it keeps that time")
    func neverAfterSessionStart() async throws {
        try await with { fixture, _ in
            let person = try await fixture.base.gateway.stores.people.require(GatewayFixture.email)
            let now = fixture.base.clock.now
            for (authTime, stored) in [(now + 50, now), (now - 50, now - 50), (nil, now)] as [(Date?, Date)] {
                let credential = try await fixture.base.gateway.issuer.issue(
                    for: person, device: SessionDevice(), token: .opaque, authenticated: authTime)
                #expect(try await session(of: credential.token.reveal(), fixture).authenticated == stored)
                let child = try await fixture.base.gateway.issuer.issue(for: person, device: SessionDevice())
                try await fixture.base.gateway.stores.sessions.adopt(
                    child.session, by: credential.session, lifetime: nil)
                #expect(try await session(of: child.token.reveal(), fixture).authenticated == stored)
            }
        }
    }

    private func session(of token: String, _ fixture: BridgeFixture) async throws -> Session {
        guard case .valid(let session) = try await fixture.base.gateway.issuer.authenticate(token) else {
            throw Exchange.Broken()
        }
        return session
    }
}
