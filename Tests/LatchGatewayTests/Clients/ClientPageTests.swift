import Database
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

@Suite("Clients on the account page", .timeLimit(.minutes(20)))
struct ClientPageTests {
    private static let account = "/latch/account"
    private static let notes = RegisteredClient(
        id: "notes", name: "<Notes>", secretHash: nil, redirects: ["https://notes.example/back"])

    @Test("the page shows what each client may do, since when and with how many sessions")
    func shown() async throws {
        try await ClientSessionFixture.with({ $0.authorizationServer.clients = [Self.notes] }) { fixture in
            let ada = PageBrowser(fixture.base)
            _ = try await ada.signIn()
            #expect(try await ada.get(Self.account).text.contains("No app has access to your account."))

            let bob = try await fixture.base.addPerson("bob@example.org").id
            try await fixture.stores.clients.allow(ClientGrant(client: "bobs", scopes: ["openid"]), by: bob)
            try await fixture.stores.clients.allow(ClientSessionFixture.grant, by: fixture.person.id)
            try await fixture.stores.clients.allow(ClientGrant(client: "gone", scopes: ["read"]), by: fixture.person.id)
            _ = try await fixture.issue()
            let text = try await ada.get(Self.account).text

            #expect(text.contains("&lt;Notes&gt;") && !text.contains("<Notes>") && !text.contains("bobs"))
            #expect(
                text.contains(
                    "know who you are, see your name, use https://notes.example as you, stay signed in · since <time"))
            #expect(text.contains("· 1 session<") && text.contains("· 0 sessions<"))
            #expect(text.contains("<h3>gone</h3>") && text.contains("use the permission read, stay signed in · since"))
            #expect(text.contains("Notes (app)"), "The session is also in the list of devices.")
        }
    }

    @Test("removing the access ends the client's sessions, and is recorded")
    func removed() async throws {
        try await ClientSessionFixture.with({ $0.authorizationServer.clients = [Self.notes] }) { fixture in
            let ada = PageBrowser(fixture.base)
            _ = try await ada.signIn()
            try await fixture.stores.clients.allow(ClientSessionFixture.grant, by: fixture.person.id)
            let tokens = try await fixture.issue()

            let response = try await ada.submit("\(Self.account)/apps/notes/remove", on: Self.account)

            #expect(response.headers["Location"] == "/latch/account?done=app")
            #expect(try await fixture.access(tokens.accessToken) == nil)
            let text = try await ada.get(response.headers["Location"] ?? "").text
            #expect(text.contains("The app has no access to your account any more."))
            #expect(text.contains("No app has access to your account."))
            let event = try #require(fixture.base.lines.audit.last)
            #expect(event["event"]?.string == "client-withdrawn" && event["client"]?.string == "notes")
            #expect(event["person"]?.string == fixture.person.id.uuidString.lowercased())

            let token = try await ada.token(on: Self.account)
            let again = try await ada.post("\(Self.account)/apps/notes/remove", [(FormTokens.field, token)])
            #expect(again.status == 303)
            #expect(fixture.base.lines.audit.count { $0["event"]?.string == "client-withdrawn" } == 1)
        }
    }

    @Test("stolen tokens are told for 30 days, to their person only")
    func stolen() async throws {
        try await ClientSessionFixture.with({ $0.sessions.sliding = .seconds(60 * day) }) { fixture in
            try await fixture.base.addPerson("bob@example.org", password: "bob's own 77")
            let (ada, bob) = (PageBrowser(fixture.base), PageBrowser(fixture.base))
            _ = try await ada.signIn()
            _ = try await bob.signIn("bob@example.org", "bob's own 77")
            let first = try await fixture.issue()
            #expect(try await fixture.access(try await fixture.renewed(first.refreshToken).accessToken) != nil)
            #expect(try await fixture.refresh(first.refreshToken).isStolen)

            let warning = "Notes, signed in from 192.0.2.7"
            #expect(try await ada.get(Self.account).text.contains(warning))
            #expect(try await !bob.get(Self.account).text.contains(warning))
            fixture.clock.advance(30 * day - 1)
            #expect(try await ada.get(Self.account).text.contains(warning))
            fixture.clock.advance(1)
            #expect(try await !ada.get(Self.account).text.contains(warning))
        }
    }

    @Test("a form that fails because of the database leads back to its page, and to no other server")
    func unavailable() async throws {
        try await ClientSessionFixture.with({ $0.authorizationServer.clients = [Self.notes] }) { fixture in
            let ada = PageBrowser(fixture.base)
            _ = try await ada.signIn()
            let token = try await ada.token(on: Self.account)
            _ = try await fixture.stores.database.write { try $0.run(Statement("DROP TABLE client_consents")) }
            func response(_ site: [(String, String)]) async throws -> String {
                let path = "\(Self.account)/apps/notes/remove"
                let response = try await ada.post(path, [(FormTokens.field, token)], site: site)
                #expect(response.status == 503 && response.headers["Retry-After"] != nil)
                return response.text
            }
            let own = ("Sec-Fetch-Site", "same-origin")
            let named = try await response([own, ("Referer", "http://127.0.0.1/latch/account?done=key")])
            #expect(named.contains("href=\"/latch/account?done=key\">Try again</a>"))
            for referer in ["https://evil.example", "https://evil.example//evil.example/x", "x", ""] {
                let text = try await response([own, ("Referer", referer)])
                #expect(!text.contains("evil.example") && !text.contains(">Try again<"), "\(referer)")
            }
            #expect(try await !response([own]).contains(">Try again<"))
        }
    }

    @Test("without the authorization server the page has no such section")
    func off() async throws {
        try await GatewayFixture.withPages { fixture in
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            #expect(try await !ada.get(Self.account).text.contains("Apps with access"))
            let token = try await ada.token(on: Self.account)
            let response = try await ada.post("\(Self.account)/apps/notes/remove", [(FormTokens.field, token)])
            #expect(response.status == 404)
        }
    }
}
