import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// People who must change a password that an administrator set.
@Suite(.timeLimit(.minutes(20)))
struct RequiredPasswordTests {
    private static let words = "must change your password"

    /// The routes that stay open: the change, the person's own profile, the sign-out and the sign-in.
    private static let open: Set<String> = [
        "POST /immich/api/auth/validateToken", "GET /immich/api/auth/status", "POST /immich/api/auth/logout",
        "GET /immich/api/users/me", "POST /immich/api/auth/change-password", "PUT /immich/api/auth/change-password",
        "GET /latch/account/password", "POST /latch/account/password", "POST /latch/sign-out", "GET /latch/sign-in",
        "POST /latch/sign-in", "GET /latch/sign-in/done", "POST /api/auth/mobile/logout", "POST /tt/auth/logout",
    ]

    @Test("IM-12 a password that must be changed only allows the change, on any route of any dialect or page")
    func everyRoute() async throws {
        try await EveryDialect.with { gateway in
            let people = gateway.base.gateway.stores.people
            let bound = try await people.add(
                email: "bound@example.org", password: Secret(GatewayFixture.password), mustChange: true)
            let free = try await people.add(
                email: "free@example.org", isAdministrator: true, password: Secret(GatewayFixture.password))
            let names = Set(gateway.routes.map(EveryDialect.name))
            #expect(Self.open.isSubset(of: names), "\(Self.open.subtracting(names))")
            var closed = 0
            for route in gateway.routes where !Self.open.contains(EveryDialect.name(route)) {
                let id = UUID().uuidString.lowercased()
                let anonymous = try await gateway.send(route, nil, id: id)
                let response = try await gateway.send(route, try await gateway.token(of: bound), id: id)
                let known = try await gateway.send(route, try await gateway.token(of: free), id: id)
                let isClosed =
                    response.status == 403 && response.text.contains(Self.words)
                    || response.status == 303
                        && response.next?.hasPrefix("/latch/account/password") == true
                #expect(
                    isClosed || response.status == anonymous.status, "\(EveryDialect.name(route)): \(response.status)")
                if isClosed, known.status != anonymous.status || known.text != anonymous.text { closed += 1 }
            }
            // Most routes need a session; `known` shows that they open with another person's.
            #expect(closed > 50, "\(closed)")
        }
    }

    @Test("OX-1 a correct password that must be changed first is recorded if it starts no session")
    func recorded() async throws {
        try await GatewayFixture.with { fixture in
            _ = try await fixture.gateway.stores.people.add(
                email: GatewayFixture.email, password: Secret(GatewayFixture.password), mustChange: true)
            #expect(try await fixture.login().token == nil)
            let event = try #require(fixture.lines.audit.last)
            #expect(event["event"]?.string == "sign-in-failed")
            #expect(event["reason"]?.string == "password-change-required" && event["address"] != nil)
        }
    }

    @Test("IM-12 after the change of the password the same session has full access again")
    func changed() async throws {
        try await ImmichFixture.with({ $0.pages.isEnabled = true }) { fixture in
            let people = fixture.base.gateway.stores.people
            try await people.setPassword(
                Secret(GatewayFixture.password), of: try await fixture.person().id, mustChange: true)
            let token = try await fixture.token()
            let refused = try await fixture.send("GET", "/sessions", token)
            #expect(refused.status == 403 && refused.refusal?.contains("/latch/account/password") == true)
            // No other part of the profile can be changed.
            #expect(try await fixture.send("PUT", "/users/me", token, ["name": "Eve"]).status == 403)

            let changed = try await fixture.send("PUT", "/users/me", token, ["password": "a better horse 8"])
            #expect(changed.status == 200)
            #expect(try await fixture.send("GET", "/sessions", token).status == 200)
        }
    }

    @Test("a browser is redirected to the password change and back afterwards; an app gets 403 with the reason")
    func browser() async throws {
        try await EveryDialect.with { gateway in
            let fixture = gateway.base
            let person = try await fixture.gateway.stores.people.add(
                email: GatewayFixture.email, password: Secret(GatewayFixture.password), mustChange: true)
            let ada = PageBrowser(fixture)
            let signedIn = try await ada.signIn()
            #expect(signedIn.next == "/latch/account")
            let led = try await ada.get("/latch/account?done=others")
            let location = try #require(led.next)
            #expect(location == "/latch/account/password?return=%2Flatch%2Faccount%3Fdone%3Dothers")

            #expect(try await ada.get(location).text.contains("8 to 64 characters."))
            let same = try await ada.submit(
                "/latch/account/password", on: location,
                [
                    ("current", GatewayFixture.password), ("new", GatewayFixture.password),
                    ("repeated", GatewayFixture.password),
                ])
            #expect(same.status == 422 && same.text.contains("must differ from the current one"))
            let done = try await ada.submit(
                "/latch/account/password", on: location,
                [("current", GatewayFixture.password), ("new", "a better horse 8"), ("repeated", "a better horse 8")])
            #expect(done.status == 200 && done.next == "/latch/account?done=others")
            #expect(try await ada.get("/latch/account").status == 200)

            try await fixture.gateway.stores.people.setPassword(
                Secret(GatewayFixture.password), of: person.id, mustChange: true)
            let token = try await gateway.token(of: person)
            let forwarded = [
                ("X-Forwarded-Host", "localhost"), ("X-Forwarded-Proto", "http"), ("X-Forwarded-Method", "GET"),
                ("X-Forwarded-Uri", "/photos"),
            ]
            let browser = [("Accept", "text/html"), ("Cookie", "latchd_session=\(token)")]
            let page = try await fixture.http.send("GET", "/auth/verify", headers: forwarded + browser)
            #expect(page.status == 302)
            #expect(page.next == "http://localhost/latch/account/password?return=%2Fphotos")
            let nginx = try await fixture.http.send("GET", "/auth/verify?proxy=nginx", headers: forwarded + browser)
            #expect(nginx.status == 401 && nginx.next == page.next)
            let app = try await fixture.http.send(
                "GET", "/auth/verify", headers: forwarded + GatewayFixture.bearer(token))
            #expect(app.status == 403 && app.text.contains(Self.words))
        }
    }

    @Test("an app that cannot change the password gets no session, neither by password nor through a provider")
    func apps() async throws {
        try await BridgeFixture.with { fixture in
            _ = try await fixture.base.gateway.stores.people.add(
                email: GatewayFixture.email, password: Secret(GatewayFixture.password), mustChange: true)
            let login = try await fixture.base.login()
            #expect(login.status == 403 && login.text.contains(Self.words))
            let fields = try await fixture.deepLink(AppSignIn())
            #expect(fields["code"] == nil && fields["error"] == "access_denied")
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 0)
        }
    }

    @Test("if passwords are off, a password that must be changed does not prevent sign-in")
    func withoutPasswords() async throws {
        try await BridgeFixture.with(["google"], { $0.passwordsEnabled = false }) { fixture in
            _ = try await fixture.base.gateway.stores.people.add(
                email: GatewayFixture.email, password: Secret(GatewayFixture.password), mustChange: true)
            let app = AppSignIn()
            let token = try await fixture.exchange(try await fixture.deepLink(app)["code"], app.verifier).token
            #expect(try await fixture.base.me(token).status == 200)
        }
    }
}
