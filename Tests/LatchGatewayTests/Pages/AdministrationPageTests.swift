import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20))) struct AdministrationPageTests {
    private static let admin = "/latch/admin"
    private static let rootEmail = "root@example.org"

    /// A gateway with Ada and an administrator, who is signed in.
    private func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (GatewayFixture, PageBrowser) async throws -> Void
    ) async throws {
        try await GatewayFixture.withPages(change) { fixture in
            _ = try await fixture.gateway.stores.people.add(
                email: Self.rootEmail, name: "Root", isAdministrator: true, password: Secret("root's own 77"))
            let root = PageBrowser(fixture)
            _ = try await root.signIn(Self.rootEmail, "root's own 77")
            try await body(fixture, root)
        }
    }

    private func path(of email: String, _ fixture: GatewayFixture) async throws -> String {
        let person = try await fixture.gateway.stores.people.require(email)
        return "\(Self.admin)/people/\(person.id.uuidString.lowercased())"
    }

    @Test("a person who is not an administrator sees and changes nothing")
    func requiresAdministrator() async throws {
        try await with { fixture, _ in
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            let token = try await ada.token(on: "/latch/account")
            let root = try await path(of: Self.rootEmail, fixture)

            for page in ["", "/sessions", "/providers", "/failures", root.replacing(Self.admin, with: "")] {
                let response = try await ada.get(Self.admin + page)
                #expect(response.status == 403 && !response.text.contains(Self.rootEmail))
            }
            for form in [root, "\(Self.admin)/people", "\(Self.admin)/sessions/abc/end"] {
                let fields = [(FormTokens.field, token), ("action", "disable"), ("email", "x@example.org")]
                #expect(try await ada.post(form, fields).status == 403)
            }
            #expect(try await fixture.gateway.stores.people.list().allSatisfy(\.isActive))
            #expect(!(try await ada.get("/latch/account").text.contains("Administration")))
        }
    }

    @Test("an administrator finds, disables and enables a person, and the audit log names the administrator")
    func disable() async throws {
        try await with { fixture, root in
            let token = try await fixture.token()
            let ada = try await path(of: GatewayFixture.email, fixture)
            let found = try await root.get("\(Self.admin)?q=ADA")
            #expect(found.text.contains(ada) && found.text.components(separatedBy: "role=\"cell\"").count == 6)

            let response = try await root.submitAndConfirm(ada, on: ada, [("action", "disable")])
            #expect(response.status == 303)
            #expect(try await fixture.me(token).status == 403)
            #expect(try await fixture.login().status == 400)
            #expect(try await root.get(response.headers["Location"] ?? "").text.contains("The person is disabled"))

            _ = try await root.submit(ada, on: ada, [("action", "enable")])
            #expect(try await fixture.login().status == 200)
            let events = fixture.lines.audit.filter { $0["actor"] != nil }.compactMap { $0["event"]?.string }
            #expect(events.suffix(2) == ["person-disabled", "person-enabled"])
        }
    }

    @Test("dangerous actions require a sign-in of the last ten minutes")
    func stepUp() async throws {
        try await with { fixture, root in
            let ada = try await path(of: GatewayFixture.email, fixture)
            fixture.clock.advance(11 * minute)

            for (form, page, fields) in [
                (ada, ada, [("action", "disable")]),
                ("\(Self.admin)/people", Self.admin, [("email", "new@example.org")]),
            ] {
                let response = try await root.submit(form, on: page, fields)
                #expect(response.headers["Location"]?.hasPrefix("/latch/sign-in?return=") == true)
                #expect(response.headers["Location"]?.hasSuffix("&again=1") == true)
            }
            let people = try await fixture.gateway.stores.people.list()
            #expect(people.count == 2 && people.allSatisfy(\.isActive))
        }
    }

    @Test("the role of administrator is given and removed at once, but never by the person themselves")
    func administrators() async throws {
        try await with { fixture, root in
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            #expect(try await ada.get(Self.admin).status == 403)
            let page = try await path(of: GatewayFixture.email, fixture)

            _ = try await root.submitAndConfirm(page, on: page, [("action", "make")])
            #expect(try await ada.get(Self.admin).status == 200)
            _ = try await root.submitAndConfirm(page, on: page, [("action", "unmake")])
            #expect(try await ada.get(Self.admin).status == 403)

            let own = try await path(of: Self.rootEmail, fixture)
            #expect(PageBrowser.form(own, in: try await root.get(own).text) == nil)
            let token = try await root.token(on: "/latch/account")
            for action in ["disable", "unmake", "end"] {
                let response = try await root.post(own, [(FormTokens.field, token), ("action", action)])
                #expect(response.status == 403)
            }
            #expect(try await root.get(Self.admin).status == 200)
        }
    }

    @Test("an unverified address is marked, with a warning before its person becomes an administrator")
    func unverifiedAddress() async throws {
        try await with { fixture, root in
            _ = try await fixture.gateway.stores.people.add(
                email: "eve@example.org", name: "Eve", isAdministrator: false, password: Secret("eve's own 77"),
                recording: AuditEvent(.registered))
            let mark = "Address not verified"
            #expect(try await root.get(Self.admin).text.components(separatedBy: mark).count == 2)
            for (email, isMarked) in [("eve@example.org", true), (GatewayFixture.email, false)] {
                let page = try await path(of: email, fixture)
                #expect(try await root.get(page).text.contains(mark) == isMarked)
                let question = try await root.submit(page, on: page, [("action", "make")])
                #expect(question.text.contains("is not verified") == isMarked)
                #expect(question.text.contains("<button type=\"submit\">Make administrator</button>"))
                let harmful = try await root.submit(page, on: page, [("action", "disable")])
                #expect(harmful.text.contains("<button type=\"submit\" class=\"harm full\">Disable</button>"))
            }
        }
    }

    @Test("a person is added once, and a mistake is shown beside the field")
    func invite() async throws {
        try await with { fixture, root in
            let form = "\(Self.admin)/people"
            let done = try await root.submit(form, on: Self.admin, [("email", "Eve@example.org")])
            #expect(done.headers["Location"] == "\(Self.admin)?done=added", "there is no identity provider")
            let added = try await root.get("\(Self.admin)?done=added").text
            #expect(added.contains("cannot sign in yet") && added.contains("set a password with 'latchd user passwd'"))
            for (email, message) in [("eve@example.org", "already"), ("nonsense", "email-mistake")] {
                let response = try await root.submit(form, on: Self.admin, [("email", email)])
                #expect(response.status == 422 && response.text.contains(message))
            }
            #expect(try await fixture.gateway.stores.people.find("eve@example.org") != nil)
        }
    }

    @Test("people and sessions are listed page by page, each once")
    func paged() async throws {
        try await with { fixture, root in
            for number in 10..<40 {
                _ = try await fixture.gateway.stores.people.invite(email: "p\(number)@example.org")
                _ = try await fixture.token()
            }
            for start in [Self.admin, "\(Self.admin)/sessions"] {
                var seen: [String] = []
                var next: String? = start
                while let path = next {
                    let text = try await root.get(path).text
                    seen +=
                        start == Self.admin
                        ? text.matches(of: /people\/([0-9a-f-]{36})"/).map { String($0.1) }
                        : text.matches(of: /sessions\/(\w{12})\/end/).map { String($0.1) }
                    next = text.firstMatch(of: /href="([^"]*)">Next page</).map {
                        String($0.1).replacing("&amp;", with: "&")
                    }
                }
                #expect(seen.count == (start == Self.admin ? 32 : 31) && Set(seen).count == seen.count)
            }
        }
    }

    @Test("any person's session can be ended from the list")
    func endSession() async throws {
        try await with { fixture, root in
            let token = try await fixture.token()
            let sessions = try await fixture.gateway.stores.sessions.list()
            let id = try #require(sessions.first { $0.email == GatewayFixture.email }?.id)

            let page = "\(Self.admin)/sessions"
            #expect(try await root.submitAndConfirm("\(page)/\(id)/end", on: page).status == 303)

            #expect(try await fixture.me(token).status == 403)
        }
    }

    @Test("invited people and the administrator's own row and session are marked, and sessions link to their person")
    func marks() async throws {
        try await with { fixture, root in
            _ = try await fixture.gateway.stores.people.invite(email: "eve@example.org")
            _ = try await fixture.token()
            let people = try await root.get(Self.admin).text
            func row(_ email: String, in text: String) -> String {
                text.components(separatedBy: "<tr").first { $0.contains(email) } ?? ""
            }
            #expect(row("eve@example.org", in: people).contains(">Invited<"))
            #expect(
                row(GatewayFixture.email, in: people).contains(">Active<")
                    && !row(GatewayFixture.email, in: people).contains(">You<"))
            #expect(row(Self.rootEmail, in: people).contains(">You<"))

            let sessions = try await root.get("\(Self.admin)/sessions").text
            #expect(row(Self.rootEmail, in: sessions).contains(">This browser<"))
            let ada = try await path(of: GatewayFixture.email, fixture)
            #expect(row(GatewayFixture.email, in: sessions).contains("href=\"\(ada)\""))
            #expect(!row(GatewayFixture.email, in: sessions).contains(">This browser<"))
            let page = try await root.get(ada).text
            let back = try #require(page.firstRange(of: "<a href=\"\(Self.admin)\">← All people</a>"))
            #expect(back.lowerBound < (try #require(page.firstRange(of: "<h1>"))).lowerBound)
            #expect(page.contains("<dd>password</dd>") && page.contains("<dt>Role</dt><dd>User</dd>"))
        }
    }

    @Test("the last failures are shown with time, address and reason, without the typed text")
    func failures() async throws {
        try await with { fixture, root in
            _ = try await fixture.login(password: "wrong <b> 77")
            _ = try await fixture.login("nobody-of-that-name@example.org", password: "whatever 77")

            let text = try await root.get("\(Self.admin)/failures").text

            #expect(text.contains("Wrong password") && text.contains("Unknown account"))
            #expect(text.contains("127.0.0.1 (this machine)") && text.contains("<time datetime="))
            #expect(text.contains(GatewayFixture.email))
            #expect(!text.contains("nobody-of-that-name") && !text.contains("&lt;b&gt;") && !text.contains("whatever"))
        }
    }

    @Test("a bounded number of failures is kept, and the newest stay")
    func bounded() {
        let failures = SignInFailures()
        for _ in 0..<2_000 { failures.record(AuditEvent(.signInFailed), at: Date()) }
        failures.record(AuditEvent(.signIn), at: Date())

        let page = failures.page(before: nil, limit: 10_000)
        #expect(page.count <= SignInFailures.capacity && page.first?.number == 2_000)
    }

    @Test(
        "failures of clients, and those from one address or network, do not hide the failures of people from others",
        arguments: [("203.0.113.7", 62), ("2001:db8:1:1{}::1", 125), ("2001:db8:1:{}00::1", 250)])
    func shares(busy: String, count: Int) {
        let failures = SignInFailures()
        let real = AuditEvent(.signInFailed, reason: "wrong-password", address: "192.0.2.1")
        failures.record(real, at: Date())
        for number in 0..<2_000 {
            failures.record(
                AuditEvent(.signInFailed, address: "198.51.100.\(number % 250)", client: "notes"), at: Date())
            let text = busy.replacing("{}", with: String(16 + number % 200, radix: 16))
            failures.record(AuditEvent(.signInFailed, address: text), at: Date())
        }

        let page = failures.page(before: nil, limit: 10_000)
        #expect(page.last?.event == real)
        #expect(page.count == 1 + SignInFailures.capacity + count)
        #expect(page.map(\.number) == page.map(\.number).sorted(by: >))
    }

    @Test("the page shows which providers are reachable")
    func providers() async throws {
        try await BridgeFixture.with(["google", "work"], { $0.pages.isEnabled = true }) { fixture in
            _ = try await fixture.base.gateway.stores.people.add(
                email: Self.rootEmail, isAdministrator: true, password: Secret("root's own 77"))
            let root = PageBrowser(fixture.base)
            _ = try await root.signIn(Self.rootEmail, "root's own 77")
            let before = try await root.get("\(Self.admin)/providers").text
            #expect(before.contains(">Responds<") && !before.contains(">Failed<"))
            await fixture.providers["work"]?.stop()
            // A check is made at most once a minute.
            fixture.base.clock.advance(59)
            #expect(try await root.get("\(Self.admin)/providers").text.contains(">Failed<") == false)
            fixture.base.clock.advance(1)

            let text = try await root.get("\(Self.admin)/providers").text

            #expect(text.contains(">Responds<") && text.contains(">Failed<"))
            #expect(!text.leaks(SmallProvider.clientSecret))
        }
    }
}
