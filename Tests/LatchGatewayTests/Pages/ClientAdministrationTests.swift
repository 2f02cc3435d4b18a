import Crypto
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

/// What an administrator sees of the clients of the authorization server, and ends.
@Suite("Clients on the administrator's page", .timeLimit(.minutes(20)))
struct ClientAdministrationTests {
    private static let page = "/latch/admin/clients"
    private static let notes = RegisteredClient(
        id: "notes", name: "<Notes>", secretHash: nil, redirects: ["https://notes.example/back"])

    /// A gateway with a client of the configuration, Ada, and an administrator who is signed in.
    private static func with(_ body: (ClientSessionFixture, PageBrowser) async throws -> Void) async throws {
        try await ClientSessionFixture.with({
            $0.authorizationServer.clients = [notes]
            $0.authorizationServer.registration.isEnabled = true
        }) { fixture in
            _ = try await fixture.stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let root = PageBrowser(fixture.base)
            _ = try await root.signIn("root@example.org", "root's own 77")
            try await body(fixture, root)
        }
    }

    private static func register(
        _ fixture: ClientSessionFixture, _ name: String, _ approval: ClientApproval = .notRequired
    ) async throws -> RegisteredClient {
        let client = RegisteredClient(
            id: name.lowercased(), name: name, secretHash: nil, redirects: ["a:/b"], created: fixture.clock.now,
            registration: ClientRegistration(tokenHash: SHA256.digest(name), method: .none, approval: approval))
        try await fixture.stores.clients.register(client, from: AddressKey(nil), maximum: 4_000)
        return client
    }

    /// The texts of the cells of the row that has a client's id.
    private static func cells(_ id: String, in text: String) throws -> [String] {
        let row = try text.components(separatedBy: "<tr role=\"row\">").first { $0.contains(">\(id)</code>") }.orThrow
        return row.components(separatedBy: "<td ").dropFirst().map { cell in
            String(cell.drop { $0 != ">" }.dropFirst()).replacing(#/<[^>]*>/#, with: "").replacing("\n", with: "")
        }
    }

    @Test("the list has each kind of client, with its sessions, their people and the last use")
    func listed() async throws {
        try await Self.with { fixture, root in
            let bob = try await fixture.base.addPerson("bob@example.org")
            let web = try await fixture.stores.clients.add(name: "Web", redirects: ["a:/b"], isConfidential: true)
                .client
            _ = try await Self.register(fixture, "Self")
            for person in [fixture.person, fixture.person, bob] { _ = try await fixture.issue(to: person) }
            let selfGrant = ClientGrant(client: "self", scopes: [])
            let over = try await fixture.issue(selfGrant)
            _ = try await fixture.store.end(over.accessToken.reveal(), of: "self")
            fixture.clock.advance(2 * hour)

            #expect(try await root.get("/latch/admin").text.contains("href=\"\(Self.page)\""))
            let list = try await root.get(Self.page).text
            #expect(!list.contains("<Notes>"))
            let configured = try Self.cells("notes", in: list)
            #expect(configured[0] == "&lt;Notes&gt;" && configured[2].contains("Public"))
            #expect(configured[3] == "In the configuration" && configured[4] == "2" && configured[5] == "3")
            #expect(configured[6].contains("2 hours ago"))
            let added = try Self.cells(web.id, in: list)
            #expect(added[0] == "Web" && added[2].contains("Confidential") && !added[2].contains("Unverified"))
            #expect(added[4] == "0" && added[5] == "0" && added[6] == "Not known")
            let registered = try Self.cells("self", in: list)
            #expect(registered[2].contains("Public") && registered[2].contains("Unverified"))
            #expect(registered[4] == "0" && registered[5] == "0" && registered[6].contains("2 hours ago"))
            let forms = ["notes", web.id, "self"].map { PageBrowser.form("\(Self.page)/\($0)", in: list) ?? "" }
            #expect(forms.map { $0.contains("value=\"end\"") } == [true, true, true])
            #expect(forms.map { $0.contains("value=\"remove\"") } == [false, true, true])
        }
    }

    @Test("the list shows settings, and a client that waits is approved and refused after a confirmation")
    func decided() async throws {
        try await Self.with { fixture, root in
            _ = try await Self.register(fixture, "Self", .waiting)
            var settings = ClientSettings()
            settings.groups = ["<staff>", "admins"]
            settings.maximumAge = .seconds(300)
            let web = try await fixture.stores.clients.add(
                name: "Web", redirects: ["a:/b"], isConfidential: true, settings: settings
            ).client
            let list = try await root.get(Self.page).text
            #expect(try Self.cells(web.id, in: list)[7] == "groups: &lt;staff&gt;, adminsmax_age: 5m")
            #expect(try Self.cells("notes", in: list)[7] == "Defaults")
            #expect(try Self.cells("self", in: list)[2].contains("Waits for approval"))
            let forms = ["notes", web.id, "self"].map { PageBrowser.form("\(Self.page)/\($0)", in: list) ?? "" }
            #expect(forms.map { $0.contains("value=\"approve\"") } == [false, false, true])

            let steps: [(String, String, ClientApproval, String)] = [
                ("approve", "Approve Self?", .approved, "client-approved"),
                ("refuse", "Refuse Self?", .refused, "client-refused"),
                ("approve", "Approve Self?", .approved, "client-approved"),
            ]
            for (action, question, approval, event) in steps {
                let before = try await fixture.stores.clients.client("self")?.registration?.approval
                let fields = [("action", action)]
                let asked = try await root.submit("\(Self.page)/self", on: Self.page, fields)
                #expect(asked.status == 200 && asked.text.contains(question))
                #expect(try await fixture.stores.clients.client("self")?.registration?.approval == before)
                let done = try await root.submitAndConfirm("\(Self.page)/self", on: Self.page, fields)
                #expect(done.status == 303)
                let list = try await root.get(Self.page).text
                #expect(
                    try Self.cells("self", in: list)[2].contains(approval == .approved ? "Approved" : "Refused"))
                #expect(try await fixture.stores.clients.client("self")?.registration?.approval == approval)
                let last = try #require(fixture.base.lines.audit.last)
                #expect(last["event"]?.string == event && last["client"]?.string == "self" && last["actor"] != nil)
            }
            let other = try await root.submit("\(Self.page)/\(web.id)", on: Self.page, [("action", "approve")])
            #expect(other.status == 400, "an added client needs no approval")
            let ada = PageBrowser(fixture.base)
            _ = try await ada.signIn()
            let token = try await ada.token(on: "/latch/account")
            let refused = try await ada.post(
                "\(Self.page)/self",
                [
                    (FormTokens.field, token), ("action", "refuse"), (ConfirmationPage.confirmationField, "1"),
                ])
            #expect(refused.status == 403)
            #expect(try await fixture.stores.clients.client("self")?.registration?.approval == .approved)
        }
    }

    @Test("a client that changes after the question is not approved, and the page shows what it is now")
    func changedMeanwhile() async throws {
        try await Self.with { fixture, root in
            let clients = fixture.stores.clients
            let shown = try await Self.register(fixture, "Self", .waiting)
            let path = "\(Self.page)/self"
            let question = try await root.submit(path, on: Self.page, [("action", "approve")])
            #expect(question.text.contains("<div>a:/b</div>"))
            let form = try #require(PageBrowser.form(path, in: question.text))
            let changed = RegisteredClient(
                id: "self", name: "Self", secretHash: nil, redirects: ["https://evil.example/steal"],
                created: shown.created, registration: shown.registration)
            _ = try await clients.update(changed, requiresApproval: true)

            let answer = try await root.post(path, PageBrowser.hiddenFields(of: form))
            #expect(answer.status == 422 && answer.text.contains("The client has changed since it was shown"))
            #expect(answer.text.contains("<div>https://evil.example/steal</div>"))
            #expect(try await clients.client("self")?.registration?.approval == .waiting)
            #expect(fixture.base.lines.audit.last?["event"]?.string != "client-approved")
            // Nor is one approved by a form without what was shown.
            let blind = PageBrowser.hiddenFields(of: form).filter { $0.0 != "client_digest" }
            #expect(try await root.post(path, blind).status == 422)

            let again = try #require(PageBrowser.form(path, in: answer.text))
            #expect(try await root.post(path, PageBrowser.hiddenFields(of: again)).status == 303)
            #expect(try await clients.client("self")?.registration?.approval == .approved)
        }
    }

    @Test("all clients are on some page of the list, each once, and a search finds them by name and id")
    func paged() async throws {
        try await Self.with { fixture, root in
            for number in 1...60 { _ = try await Self.register(fixture, "App \(number)".replacing(" ", with: "-")) }
            // A stored client with the id of a configured one is not used.
            _ = try await fixture.stores.database.write { connection in
                try connection.run(
                    ClientStatements.insert, "notes", "App-45", nil, "a:/b", false, false, fixture.clock.now, nil, "",
                    nil, "opaque", "", 9)
            }
            var (ids, path, pages): ([String], String?, Int) = ([], Self.page, 0)
            while let next = path, pages < 9 {
                let text = try await root.get(next).text
                let found = text.components(separatedBy: "<code class=\"key\">").dropFirst()
                ids += found.map { String($0.prefix { $0 != "<" }) }
                path = text.firstMatch(of: #/href="([^"]*)">Next page/#).map {
                    String($0.output.1).replacing("&amp;", with: "&")
                }
                pages += 1
            }
            #expect(pages == 3 && ids.count == 61 && Set(ids).count == 61)
            #expect(ids.first == "notes", "names are sorted by their bytes")

            for (search, id) in [("APP-33", "app-33"), ("notes", "notes"), ("OTES>", "notes")] {
                let text = try await root.get("\(Self.page)?" + FormURLEncoded.encode([("q", search)])).text
                #expect(text.components(separatedBy: "<code class=\"key\">").count == 2, "\(search)")
                #expect(text.contains(">\(id)</code>"), "\(search)")
            }
            #expect(try await root.get("\(Self.page)?q=%25").text.contains("No clients found."))
        }
    }

    @Test("ending the access ends the sessions of everybody and what they allowed, and nothing of another client")
    func ended() async throws {
        try await Self.with { fixture, root in
            let bob = try await fixture.base.addPerson("bob@example.org")
            let clients = fixture.stores.clients
            let mail = ClientGrant(client: "mail", scopes: ["openid"])
            for person in [fixture.person.id, bob.id] {
                try await clients.allow(ClientSessionFixture.grant, by: person)
                try await clients.allow(mail, by: person)
            }
            let tokens = [try await fixture.issue(), try await fixture.issue(to: bob)]
            let other = try await fixture.issue(mail)

            let response = try await root.submitAndConfirm(
                "\(Self.page)/notes", on: Self.page, [("action", "end")])

            #expect(response.headers["Location"] == Self.page + "?done=access")
            for tokens in tokens {
                #expect(try await fixture.access(tokens.accessToken) == nil)
                #expect(try await fixture.refresh(tokens.refreshToken).isRefused)
                #expect(try await fixture.session(tokens.session).endReason == .revoked)
            }
            #expect(try await fixture.access(other.accessToken) != nil)
            for person in [fixture.person.id, bob.id] {
                #expect(try await clients.allowed(by: person).map(\.grant) == [mail])
            }
            let event = try #require(fixture.base.lines.audit.last)
            let actor = try await fixture.stores.people.require("root@example.org").id
            #expect(event["event"]?.string == "client-withdrawn" && event["reason"]?.string == "everybody")
            #expect(event["client"]?.string == "notes" && event["actor"]?.string == actor.uuidString.lowercased())
            #expect(try await clients.client("notes") != nil)
            #expect(try await root.get(Self.page + "?done=access").text.contains("everybody is asked again"))
        }
    }

    @Test("all clients that registered themselves are removed with one button, and no others")
    func removedUnverified() async throws {
        try await Self.with { fixture, root in
            let added = try await fixture.stores.clients.add(name: "Web", redirects: ["a:/b"], isConfidential: true)
                .client
            let client = try await Self.register(fixture, "Self")
            let tokens = try await fixture.issue(ClientGrant(client: client.id, scopes: []))

            let response = try await root.submitAndConfirm(
                Self.page, on: Self.page, [("action", "remove-unverified")])

            #expect(response.headers["Location"] == Self.page + "?done=unverified")
            #expect(try await fixture.access(tokens.accessToken) == nil)
            #expect(try await fixture.stores.clients.list() == [Self.notes, added])
            let event = try #require(fixture.base.lines.audit.last)
            #expect(event["event"]?.string == "client-removed" && event["reason"]?.string == "unverified")
            #expect(event["client"]?.string == client.id && event["actor"] != nil)
            #expect(try await root.get(Self.page + "?done=unverified").text.contains("unverified clients are removed"))
        }
    }

    @Test("removing a client ends its sessions, and is refused for one of the configuration")
    func removed() async throws {
        try await Self.with { fixture, root in
            let client = try await Self.register(fixture, "Self")
            let tokens = try await fixture.issue(ClientGrant(client: client.id, scopes: []))
            let path = "\(Self.page)/\(client.id)"

            let response = try await root.submitAndConfirm(path, on: Self.page, [("action", "remove")])

            #expect(response.headers["Location"] == Self.page + "?done=removed")
            #expect(try await fixture.access(tokens.accessToken) == nil)
            #expect(try await fixture.stores.clients.list() == [Self.notes])
            let event = try #require(fixture.base.lines.audit.last)
            #expect(event["event"]?.string == "client-removed" && event["client"]?.string == client.id)
            #expect(event["actor"] != nil && event["reason"] == nil)

            let token = try await root.token(on: Self.page)
            let confirmed = [(FormTokens.field, token), ("confirmed", "1")]
            for (id, action, status) in [
                ("notes", "remove", 403), ("notes", "", 400), ("notes", "disable", 400), (client.id, "end", 404),
                ("latch", "end", 404), ("%20", "end", 404),
            ] {
                let response = try await root.post("\(Self.page)/\(id)", confirmed + [("action", action)])
                #expect(response.status == status, "\(id) \(action)")
            }
            #expect(try await fixture.stores.clients.list() == [Self.notes])
        }
    }

    @Test(
        "only an administrator who signed in within the last ten minutes, from a page of the server, changes a client")
    func defended() async throws {
        try await Self.with { fixture, root in
            let tokens = try await fixture.issue()
            let (ada, path) = (PageBrowser(fixture.base), "\(Self.page)/notes")
            _ = try await ada.signIn()
            let own = try await ada.token(on: "/latch/account")
            let fields = [("action", "end"), ("confirmed", "1")]
            #expect(try await ada.get(Self.page).status == 403)
            #expect(try await ada.post(path, fields + [(FormTokens.field, own)]).status == 403)
            #expect(try await PageBrowser(fixture.base).get(Self.page).status == 303)

            let token = try await root.token(on: Self.page)
            #expect(try await root.post(path, fields).status == 403)
            #expect(try await root.post(path, fields + [(FormTokens.field, own)]).status == 403)
            let crossSite = try await root.post(
                path, fields + [(FormTokens.field, token)], site: [("Sec-Fetch-Site", "cross-site")])
            #expect(crossSite.status == 403)
            fixture.clock.advance(11 * minute)
            let old = try await root.post(path, fields + [(FormTokens.field, token)])
            #expect(old.headers["Location"]?.hasPrefix("/latch/sign-in?return=") == true)
            #expect(try await fixture.session(tokens.session).endReason == nil)
        }
    }

    @Test("without the authorization server there is no such page")
    func off() async throws {
        try await GatewayFixture.withPages { fixture in
            _ = try await fixture.gateway.stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let root = PageBrowser(fixture)
            _ = try await root.signIn("root@example.org", "root's own 77")
            #expect(try await !root.get("/latch/admin").text.contains("clients"))
            #expect(try await root.get(Self.page).status == 404)
        }
    }
}
