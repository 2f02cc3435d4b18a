import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Who may sign in to a client, in every flow.
@Suite("Who may sign in to a client", .timeLimit(.minutes(20)))
struct ClientAdmissionTests {
    /// What the settings of a client say about Ada, who is in the group `staff` and authenticated with a password.
    struct Rule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: ClientRefusal?
        let change: @Sendable (inout ClientSettings) -> Void

        init(_ name: String, _ refusal: ClientRefusal?, _ change: @escaping @Sendable (inout ClientSettings) -> Void) {
            testDescription = name
            self.refusal = refusal
            self.change = change
        }

        static let all = [
            Rule("nothing", nil) { _ in },
            Rule("her address", nil) { $0.users = ["bob@example.org", GatewayFixture.email] },
            Rule("another address", .notAdmitted) { $0.users = ["bob@example.org"] },
            Rule("her group", nil) { $0.groups = ["staff"] },
            Rule("another group", .notAdmitted) { $0.groups = ["admins", "Staff"] },
            Rule("her group or another address", nil) {
                $0.users = ["bob@example.org"]
                $0.groups = ["staff"]
            },
            Rule("administrators", .notAdmitted) { $0.admission = .administrators },
            Rule("nobody", .notAdmitted) { $0.admission = .nobody },
            Rule("a single factor", nil) { $0.level = .singleFactor },
            Rule("several factors", .weakAuthentication) { $0.level = .multiFactor },
        ]
    }

    /// Puts Ada into groups, as a sign-in at an identity provider does.
    private static func setGroups(_ groups: [String], _ fixture: OAuthFixture) async throws {
        let provider = ProviderConfiguration(
            id: "home", title: "Home", settings: .init(issuer: "https://home.example", clientID: "latch"),
            linksByEmail: true)
        _ = try await fixture.gateway.gateway.stores.people.person(
            for: .init(
                issuer: "https://home.example", subject: "1", email: GatewayFixture.email, isEmailVerified: true,
                groups: groups), at: provider)
        fixture.gateway.gateway.issuer.invalidateAll()
    }

    /// A gateway with a client for browsers and devices that an administrator added, whose id `body` gets.
    private static func with(_ body: (OAuthFixture, String) async throws -> Void) async throws {
        try await OAuthFixture.with({ $0.pages.contact = "help@example.org" }) { fixture in
            let client = try await fixture.gateway.gateway.stores.clients.add(
                name: "Notes", redirects: [OAuthFixture.webRedirect], isConfidential: false, allowsDevice: true
            ).client
            _ = try await fixture.browser.signIn()
            try await setGroups(["staff"], fixture)
            try await body(fixture, client.id)
        }
    }

    private static func set(_ fixture: OAuthFixture, _ id: String, _ rule: Rule) async throws {
        try await fixture.gateway.gateway.stores.clients.set(id) { settings in
            settings = ClientSettings()
            rule.change(&settings)
        }
    }

    private static func parameters(_ fixture: OAuthFixture, _ id: String) -> [(String, String)] {
        OAuthFixture.replacing(fixture.webParameters, [("client_id", id)])
    }

    private static func reasons(_ fixture: OAuthFixture) -> [String?] {
        fixture.gateway.lines.audit.filter { $0["event"]?.string == "sign-in-failed" }.map { $0["reason"]?.string }
    }

    /// Expects the page that refuses a person, and returns the fields of its way back to the client.
    private static func expectRefusal(
        _ page: Exchange.Response, _ refusal: ClientRefusal, _ fixture: OAuthFixture
    ) throws -> FormFields {
        #expect(page.status == 403 && page.text.contains("help@example.org"), "\(page.status)")
        #expect(page.text.contains("Notes") && page.text.contains(GatewayFixture.email))
        #expect(reasons(fixture).last == refusal.reason.description)
        let link = try page.text.firstMatch(of: #/href="(https://web[^"]*)"/#).orThrow.output.1
        let query = try String(link).replacing("&amp;", with: "&").split(separator: "?", maxSplits: 1).last.orThrow
        return try FormURLEncoded.decode(String(query))
    }

    @Test("the page before the decision, the decision, and a pushed request", arguments: Rule.all)
    func codeFlow(_ rule: Rule) async throws {
        try await Self.with { fixture, id in
            let parameters = Self.parameters(fixture, id)
            let consent = try await fixture.open(parameters)
            #expect(consent.status == 200 && consent.text.contains("Allow Notes?"))
            try await Self.set(fixture, id, rule)

            let pushed = try await fixture.post("par", parameters)
            let address = try #require(pushed.json?["request_uri"]?.string, "nobody is known when a request is pushed")
            let later = [("client_id", id), ("request_uri", address)]
            for page in [
                try await fixture.decide(consent), try await fixture.open(parameters), try await fixture.open(later),
            ] {
                guard let refusal = rule.refusal else {
                    #expect(page.status != 403 && !page.text.contains("help@example.org"))
                    continue
                }
                let fields = try Self.expectRefusal(page, refusal, fixture)
                #expect(fields["error"] == "access_denied" && fields["state"] == "the state")
                #expect(fields["iss"] == OAuthFixture.issuer)
            }
            guard let refusal = rule.refusal else { return }
            let silent = try OAuthFixture.fields(of: try await fixture.open(parameters + [("prompt", "none")]))
            #expect(silent["error"] == (refusal == .weakAuthentication ? "login_required" : "access_denied"))
        }
    }

    @Test("a code that was issued before, the session of one, and its next refresh", arguments: Rule.all)
    func tokens(_ rule: Rule) async throws {
        try await Self.with { fixture, id in
            let parameters = Self.parameters(fixture, id)
            let first = try await fixture.respond(to: parameters)
            let tokens = try OAuthTokens(
                try await fixture.exchange(
                    try #require(first["code"]), client: id, redirect: OAuthFixture.webRedirect))
            let code = try #require(try await fixture.respond(to: parameters)["code"])
            try await Self.set(fixture, id, rule)

            let exchanged = try await fixture.exchange(code, client: id, redirect: OAuthFixture.webRedirect)
            let refreshed = try await fixture.refresh(tokens.refresh, client: id)
            guard let refusal = rule.refusal else {
                #expect(exchanged.status == 200 && refreshed.status == 200)
                return
            }
            #expect(exchanged.json?["error"] == "invalid_grant" && refreshed.json?["error"] == "invalid_grant")
            #expect(Self.reasons(fixture).last == refusal.reason.description)
            #expect(try await fixture.userInfo(tokens.access).status == 401, "its session has ended")
            let end = fixture.gateway.lines.audit.last { $0["event"]?.string == "revoked" }
            #expect(end?["reason"]?.string == refusal.reason.description && end?["client"]?.string == id)
        }
    }

    @Test("the page for a device, and the device itself", arguments: Rule.all)
    func devices(_ rule: Rule) async throws {
        try await Self.with { fixture, id in
            let client = [("client_id", id as String?)]
            let (asked, allowed) = (try await fixture.codes(client), try await fixture.codes(client))
            _ = try await fixture.decide(onDevice: allowed.userCode)
            try await Self.set(fixture, id, rule)

            let polled = try await fixture.poll(allowed, client)
            let page = try await fixture.enter(asked.userCode)
            guard let refusal = rule.refusal else {
                #expect(polled.status == 200 && page.text.contains("Allow Notes?"))
                return
            }
            #expect(polled.json?["error"] == "access_denied")
            #expect(page.status == 403 && page.text.contains("help@example.org"))
            #expect(Self.reasons(fixture).last == refusal.reason.description)
            #expect(try await fixture.pollError(asked, client) == "access_denied")
        }
    }

    @Test("a person who lost the group is refused at the next refresh, and one who got it may sign in")
    func lostGroup() async throws {
        try await Self.with { fixture, id in
            let parameters = Self.parameters(fixture, id)
            try await fixture.gateway.gateway.stores.clients.set(id) { $0.groups = ["staff"] }
            let code = try #require(try await fixture.respond(to: parameters)["code"])
            let first = try OAuthTokens(
                try await fixture.exchange(code, client: id, redirect: OAuthFixture.webRedirect))
            let second = try OAuthTokens(try await fixture.refresh(first.refresh, client: id))
            try await Self.setGroups([], fixture)
            #expect(try await fixture.refresh(second.refresh, client: id).json?["error"] == "invalid_grant")
            #expect(try await fixture.open(parameters).status == 403)
            try await Self.setGroups(["staff"], fixture)
            #expect(try await fixture.refresh(second.refresh, client: id).status == 400, "its session has ended")
            #expect(try await fixture.respond(to: parameters)["code"] != nil)
        }
    }

    @Test("a client may require a recent sign-in, also when its requests do not")
    func maximumAge() async throws {
        try await Self.with { fixture, id in
            let parameters = Self.parameters(fixture, id)
            #expect(try await fixture.respond(to: parameters)["code"] != nil)
            try await fixture.gateway.gateway.stores.clients.set(id) { $0.maximumAge = .seconds(300) }
            fixture.gateway.clock.advance(301)
            for age in [nil, "3000"] {
                let answer = try await fixture.open(OAuthFixture.replacing(parameters, [("max_age", age)]))
                #expect(answer.headers["Location"]?.hasPrefix("/latch/sign-in") == true, "\(age ?? "none")")
            }
            let code = try await fixture.codes([("client_id", id)])
            #expect(try await fixture.enter(code.userCode).status == 303)
            fixture.browser.browser.cookies = [:]
            _ = try await fixture.browser.signIn()
            #expect(try await fixture.respond(to: parameters)["code"] != nil)
        }
    }

    @Test("a stronger sign-in is tried once before a person is refused")
    func strongerSignIn() async throws {
        try await Self.with { fixture, id in
            try await fixture.gateway.gateway.stores.clients.set(id) { $0.level = .multiFactor }
            fixture.gateway.clock.advance(1)
            let answer = try await fixture.open(Self.parameters(fixture, id))
            let query = try answer.headers["Location"].orThrow.split(separator: "?", maxSplits: 1).last.orThrow
            let back = try FormURLEncoded.decode(String(query))["return"].orThrow
            let code = try await fixture.codes([("client_id", id)])
            fixture.gateway.clock.advance(1)
            #expect(try await fixture.enter(code.userCode).headers["Location"]?.hasPrefix("/latch/sign-in") == true)
            // The browser keeps the request.
            fixture.browser.browser.cookies["latchd_session"] = nil
            _ = try await fixture.browser.signIn()
            #expect(try await fixture.browser.get(back).status == 403)
            #expect(try await fixture.enter(code.userCode).status == 403)
        }
    }
}
