import Crypto
import FoundationEssentials
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// One administrator stays, whatever administrators do to each other at the same time.
@Suite(.timeLimit(.minutes(20)))
struct LastAdministratorTests {
    @Test(
        "of two administrators who remove each other at the same time, one remains", arguments: ["unmake", "disable"])
    func synchronousHandler(_ action: String) async throws {
        try await GatewayFixture.withPages { fixture in
            let people = fixture.gateway.stores.people
            var browsers: [PageBrowser] = []
            var ids: [String] = []
            for name in ["one", "two"] {
                let email = "\(name)@example.org"
                let person = try await people.add(
                    email: email, isAdministrator: true, password: Secret(GatewayFixture.password))
                let browser = PageBrowser(fixture)
                _ = try await browser.signIn(email)
                browsers.append(browser)
                ids.append(person.id.uuidString.lowercased())
            }
            let paths = [ids[1], ids[0]].map { "/latch/admin/people/\($0)" }
            let tokens = [try await browsers[0].token(on: paths[0]), try await browsers[1].token(on: paths[1])]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in [0, 1] {
                    let (browser, path, token) = (browsers[index], paths[index], tokens[index])
                    group.addTask {
                        let fields = [
                            (FormTokens.field, token), ("action", action), (ConfirmationPage.confirmationField, "1"),
                        ]
                        return try await browser.post(path, fields).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.contains(303), "\(statuses)")
            let left = try await people.list().filter { $0.isAdministrator && $0.isActive }
            #expect(left.count == 1)
        }
    }

    private static func provider(_ id: String, issuer: String = "https://id.example.org") -> ProviderConfiguration {
        ProviderConfiguration(
            id: id, kind: .oidc, title: "Sign in", settings: ProviderSettings(issuer: issuer, clientID: "gateway"))
    }

    /// The people of a gateway, as one with another configuration of sign-ins changes them.
    private static func store(
        _ fixture: GatewayFixture, passwords: Bool, _ providers: [ProviderConfiguration]
    ) -> PeopleStore {
        let people = fixture.gateway.stores.people
        return PeopleStore(
            database: people.database, hasher: people.hasher, policy: people.policy,
            signIn: ConfiguredSignIn(acceptsPasswords: passwords, providers: providers), audit: people.audit,
            now: people.now)
    }

    @Test("an administrator who cannot sign in does not count, and the last one keeps a sign-in method")
    func signInMethods() async throws {
        try await GatewayFixture.with { fixture in
            let provider = Self.provider("sso")
            let people = Self.store(fixture, passwords: true, [provider])
            let one = try await people.invite(email: "one@example.org", isAdministrator: true)
            let two = try await people.add(
                email: "two@example.org", isAdministrator: true, password: Secret("two's 77 words"))
            func refuses(_ change: () async throws -> Void) async {
                let error = await #expect(throws: GatewayError.self) { try await change() }
                #expect(error?.code == .lastAdministrator)
            }
            await refuses { try await people.disable(two.id) }
            try await people.link(one.id, to: "one-1", at: provider, allowsUnseen: true)
            try await people.link(two.id, to: "two-1", at: provider, allowsUnseen: true)
            try await people.disable(two.id)
            await refuses { try await people.unlink(one.id, from: "sso") }
            #expect(try await people.identities(of: one.id).count == 1)
            try await people.enable(two.id)
            #expect(try await people.unlink(one.id, from: "sso") == 1)
            // Two has a password beside.
            #expect(try await people.unlink(two.id, from: "sso") == 1)
        }
    }

    @Test(
        "a password counts only while passwords are accepted, and an identity only while its provider is configured",
        arguments: [true, false])
    func configuredSignIn(isPassword: Bool) async throws {
        try await GatewayFixture.with { fixture in
            let base = fixture.gateway.stores.people
            let other: Person
            if isPassword {
                other = try await base.add(
                    email: "one@example.org", isAdministrator: true, password: Secret("one's 77 words"))
            } else {
                other = try await base.invite(email: "one@example.org", isAdministrator: true)
                try await base.link(other.id, to: "one-1", at: Self.provider("sso"), allowsUnseen: true)
            }
            let last = try await base.invite(email: "two@example.org", isAdministrator: true)
            for id in ["sso", "work"] {
                try await base.link(last.id, to: "two-\(id)", at: Self.provider(id), allowsUnseen: true)
            }
            let stores =
                isPassword
                ? [Self.store(fixture, passwords: false, [Self.provider("work")])]
                : [
                    Self.store(fixture, passwords: true, [Self.provider("work")]),
                    Self.store(
                        fixture, passwords: true,
                        [Self.provider("sso", issuer: "https://new.example.org"), Self.provider("work")]),
                ]
            for people in stores {
                for change in [
                    { try await people.disable(last.id) }, { try await people.remove(last.id) },
                    { try await people.setAdministrator(false, last.id, by: other.id) },
                    {
                        _ = try await people.unlink(last.id, from: "work")
                        return last
                    },
                ] as [@Sendable () async throws -> Person] {
                    let error = await #expect(throws: GatewayError.self) { _ = try await change() }
                    #expect(error?.code == .lastAdministrator)
                }
                #expect(try await base.identities(of: last.id).count == 2)
            }
            let all = Self.store(fixture, passwords: true, [Self.provider("sso"), Self.provider("work")])
            #expect(try await all.unlink(last.id, from: "work") == 1)
            try await all.disable(last.id)
        }
    }

    @Test("the last active administrator cannot be disabled, removed or demoted, and the error says what to do")
    func last() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let one = try await people.add(
                email: "one@example.org", isAdministrator: true, password: Secret("one's 77 words"))
            let two = try await people.add(
                email: "two@example.org", isAdministrator: true, password: Secret("two's 77 words"))
            try await people.disable(one.id)
            let token = try #require(try await fixture.login("two@example.org", password: "two's 77 words").token)
            for change in [
                { try await people.disable(two.id) }, { try await people.remove(two.id) },
                { try await people.setAdministrator(false, two.id, by: one.id) },
            ] as [@Sendable () async throws -> Person] {
                let error = await #expect(throws: GatewayError.self) { _ = try await change() }
                #expect(error?.code == .lastAdministrator && error?.message.contains("latchd user add --admin") == true)
            }
            #expect(try await fixture.me(token).status == 200)
            try await people.remove(one.id)
            let error = await #expect(throws: GatewayError.self) { try await people.disable(UUID()) }
            #expect(error?.code == .unknownPerson)
        }
    }

    @Test("of many administrators who disable each other at the same time, one remains in every round")
    func rounds() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            var all: [Person] = []
            for number in 0..<6 {
                all.append(
                    try await people.add(
                        email: "a\(number)@example.org", isAdministrator: true,
                        password: Secret(GatewayFixture.password)))
            }
            for _ in 0..<10 {
                await withTaskGroup { group in
                    for person in all { group.addTask { _ = try? await people.disable(person.id) } }
                }
                #expect(try await people.list().filter { $0.isAdministrator && $0.isActive }.count == 1)
                for person in all { try await people.enable(person.id) }
            }
        }
    }
}
