import Crypto
import FoundationEssentials
import HTTPMessages
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

@Suite("Unlinked identities", .timeLimit(.minutes(20))) struct IdentityPageTests {
    private static let failures = "/latch/admin/failures"

    /// A gateway with a provider that does not verify addresses, Ada, and an administrator who is signed in.
    private func with(_ body: (BridgeFixture, PageBrowser) async throws -> Void) async throws {
        try await BridgeFixture.with(["google"], { $0.pages.isEnabled = true }) { fixture in
            try await fixture.base.addPerson()
            _ = try await fixture.base.gateway.stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let root = PageBrowser(fixture.base)
            _ = try await root.signIn("root@example.org", "root's own 77")
            try await body(fixture, root)
        }
    }

    private static let unverified = SmallProvider.Account(subject: "a<b>-1", isVerified: false, name: "Ada There")

    @Test(
        "OX-7 a sign-in with an unverified address is listed with its subject, and can be linked from that page")
    func link() async throws {
        try await with { fixture, root in
            let refused = try await fixture.deepLink(AppSignIn(), as: Self.unverified)
            #expect(refused["error"] == "access_denied")
            let failure = try #require(fixture.base.lines.audit.last { $0["event"]?.string == "sign-in-failed" })
            #expect(failure["reason"]?.string == "email-unverified" && failure["subject"]?.string == "a<b>-1")

            let text = try await root.get(Self.failures).text
            #expect(text.contains("a&lt;b&gt;-1") && text.contains("email_verified: true") && !text.contains("<b>-1"))
            let page = try #require(text.firstMatch(of: /href="(\/latch\/admin\/identities\/\d+)"/)).1
            let form = String(page)
            #expect(try await root.get(form).text.contains("Ada There"))
            let wrong = try await root.submit(form, on: form, [("email", "nobody@example.org")])
            #expect(wrong.status == 422 && wrong.text.contains("No person has this e-mail address."))
            let done = try await root.submit(form, on: form, [("email", GatewayFixture.email)])

            #expect(done.status == 303 && done.headers["Location"]?.hasSuffix("?done=linked") == true)
            let linked = try #require(fixture.base.lines.audit.last { $0["event"]?.string == "identity-linked" })
            #expect(linked["actor"] != nil)
            #expect(try await fixture.deepLink(AppSignIn(), as: Self.unverified)["code"] != nil)
            #expect(try await root.get(form).status == 404)
            #expect(!(try await root.get(Self.failures).text.contains("/latch/admin/identities/")))
        }
    }

    @Test("OX-7 a link to an account whose address nobody has proved asks first, and then replaces its sign-in methods")
    func unprovedAddress() async throws {
        try await with { fixture, root in
            let people = fixture.base.gateway.stores.people
            let stranger = try await people.add(
                email: "dave@example.org", name: nil, isAdministrator: false,
                password: Secret("a stranger's 77 words"), recording: AuditEvent(.registered))
            _ = try await fixture.deepLink(AppSignIn(), as: Self.unverified)
            let id = try #require(try await people.unlinkedIdentities(limit: 1).first).id
            let form = "/latch/admin/identities/\(id)"

            let question = try await root.submit(form, on: form, [("email", "Dave@example.org")])
            #expect(question.status == 200 && question.text.contains("dave@example.org</dd>"))
            #expect(question.text.contains("has proved the address") && question.text.contains("Registered"))
            #expect(question.text.contains("UTC</time>") && question.text.contains("a&lt;b&gt;-1"))
            #expect(try await people.identities().isEmpty)
            #expect(try await people.hasPassword(stranger.id))

            let done = try await root.submitAndConfirm(form, on: form, [("email", "dave@example.org")])
            #expect(done.headers["Location"]?.hasSuffix("?done=linked") == true)
            #expect(try await !people.hasPassword(stranger.id))
            #expect(try await people.identities(of: stranger.id).map(\.subject) == ["a<b>-1"])
            let removed = fixture.base.lines.audit.last { $0["reason"]?.string == "removed-unproved" }
            #expect(removed?["actor"] != nil)
        }
    }

    @Test("OX-7 a failure links to its identity although the subject is shown without surrounding spaces")
    func spaces() async throws {
        try await with { fixture, root in
            _ = try await fixture.deepLink(AppSignIn(), as: .init(subject: " ada-7 ", isVerified: false))
            let links = try await root.get(Self.failures).text.matches(of: /href="\/latch\/admin\/identities\/\d+"/)
            #expect(links.count == 2)
            // Now it may be either.
            _ = try await fixture.deepLink(AppSignIn(), as: .init(subject: "ada-7", isVerified: false))
            let more = try await root.get(Self.failures).text.matches(of: /href="\/latch\/admin\/identities\/\d+"/)
            #expect(more.count == 2)
        }
    }

    @Test("only administrators see and link identities, and only after a sign-in of the last ten minutes")
    func guarded() async throws {
        try await with { fixture, root in
            _ = try await fixture.deepLink(AppSignIn(), as: Self.unverified)
            let id = try #require(try await fixture.base.gateway.stores.people.unlinkedIdentities(limit: 1).first).id
            let form = "/latch/admin/identities/\(id)"
            let ada = PageBrowser(fixture.base)
            _ = try await ada.signIn()
            let token = try await ada.token(on: "/latch/account")
            #expect(try await ada.get(form).status == 403)
            #expect(
                try await ada.post(form, [(FormTokens.field, token), ("email", GatewayFixture.email)]).status == 403)

            fixture.base.clock.advance(11 * minute)
            let late = try await root.submit(form, on: form, [("email", GatewayFixture.email)])
            #expect(late.headers["Location"]?.hasSuffix("&again=1") == true)
            #expect(try await fixture.base.gateway.stores.people.identities().isEmpty)
        }
    }

    @Test("a wrong client secret is shown on the page of providers")
    func wrongSecret() async throws {
        try await BridgeFixture.with(
            ["google", "work"],
            { settings in
                settings.pages.isEnabled = true
                settings.providers[1].settings.authentication = .post(Secret("not the secret of it"))
            }
        ) { fixture in
            _ = try await fixture.base.gateway.stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let root = PageBrowser(fixture.base)
            _ = try await root.signIn("root@example.org", "root's own 77")
            let text = try await root.get("/latch/admin/providers").text
            #expect(text.contains(">Responds<") && text.contains(">Failed<") && text.contains("invalid_client"))
            #expect(!text.contains("not the secret of it"))
        }
    }
}
