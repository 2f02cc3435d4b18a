import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// Actions that one click cannot undo need a confirmation. The test finds every form in the router: a new form must either ask
/// or be listed here.
@Suite(.timeLimit(.minutes(20))) struct QuestionTests {
    /// Forms with typed input, or whose action one click undoes.
    private static let unasked: Set = [
        "/latch/sign-in", "/latch/sign-out", "/latch/account/password", "/latch/account/pin",
        "/latch/account/devices/{}/end", "/latch/account/apps/{}/remove", "/latch/admin/people",
        "/latch/admin/identities/{}", "/latch/admin/bans", "/latch/admin/bans/remove",
    ]

    private func with(_ body: (GatewayFixture, PageBrowser, Person) async throws -> Void) async throws {
        try await GatewayFixture.withPages({
            $0.immich.isEnabled = true
            $0.authorizationServer.isEnabled = true
        }) { fixture in
            let stores = fixture.gateway.stores
            _ = try await stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let ada = try await stores.people.require(GatewayFixture.email)
            let root = PageBrowser(fixture)
            _ = try await root.signIn("root@example.org", "root's own 77")
            try await stores.pins.set(PIN("123456"), of: stores.people.require("root@example.org").id)
            try await body(fixture, root, ada)
        }
    }

    @Test("a form for an irreversible action asks first, and does nothing until it is confirmed")
    func asksForConfirmation() async throws {
        try await with { fixture, root, ada in
            let stores = fixture.gateway.stores
            let phone = try await fixture.token()
            let session = try #require(
                try await stores.sessions.list().first { $0.email == GatewayFixture.email }?.id.rawValue)
            let token = try await root.token(on: "/latch/account")
            let notes = try await stores.clients.add(name: "Notes", redirects: ["a:/b"], isConfidential: false).client
            let before = try await stores.people.list()
            let forms = fixture.gateway.router.routes
                .filter { $0.method == .post && $0.pattern.hasPrefix("/latch/") && !Self.unasked.contains($0.pattern) }
                .map(\.pattern)
            #expect(forms.count >= 4)
            for pattern in forms {
                let path = pattern.replacing("people/{}", with: "people/\(ada.id.uuidString.lowercased())")
                    .replacing("clients/{}", with: "clients/\(notes.id)").replacing("{}", with: session)
                let actions =
                    switch pattern {
                    case "/latch/admin/clients": ["remove-unverified"]
                    case _ where pattern.contains("people/{}"): ["disable", "end", "make", "unmake"]
                    case _ where pattern.contains("clients/{}"): ["end", "remove"]
                    default: [""]
                    }
                for action in actions {
                    let response = try await root.post(path, [(FormTokens.field, token), ("action", action)])
                    #expect(response.status == 200 && response.text.contains(">Cancel</a>"), "\(path) \(action)")
                    let form = try #require(PageBrowser.form(path, in: response.text), "\(path) \(action)")
                    let fields = PageBrowser.hiddenFields(of: form)
                    #expect(fields.contains { $0 == (ConfirmationPage.confirmationField, "1") }, "\(path) \(action)")
                    #expect(action.isEmpty || fields.contains { $0 == ("action", action) }, "\(path) \(action)")
                    // The confirmation is a form of its own: without its token, or from another site, it is refused.
                    let bare = fields.filter { $0.0 != FormTokens.field }
                    #expect(try await root.post(path, bare).status == 403, "\(path) \(action)")
                    let crossSite = try await root.post(path, fields, site: [("Sec-Fetch-Site", "cross-site")])
                    #expect(crossSite.status == 403, "\(path) \(action)")
                }
            }
            #expect(try await stores.people.list() == before)
            #expect(try await stores.clients.list() == [notes])
            #expect(try await fixture.me(phone).status == 200)
            #expect(try await stores.pins.isSet(stores.people.require("root@example.org").id))
        }
    }

    @Test("a person is signed out everywhere only after the confirmation")
    func confirmedSignOut() async throws {
        try await with { fixture, root, ada in
            let phone = try await fixture.token()
            let page = "/latch/admin/people/\(ada.id.uuidString.lowercased())"
            let response = try await root.submitAndConfirm(page, on: page, [("action", "end")])
            #expect(response.headers["Location"] == page + "?done=ended")
            #expect(try await fixture.me(phone).status == 403)
        }
    }
}
