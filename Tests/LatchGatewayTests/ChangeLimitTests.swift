import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// The limits on changes: other changes do not use up what ends access, and one session does not use up a person's.
@Suite(.timeLimit(.minutes(20)))
struct ChangeLimitTests {
    private static let name: JSONValue = ["name": "Ada"]

    /// Uses up the person's limit of changes with two sessions, and their own limit of changes that end access.
    private static func flood(_ base: GatewayFixture) async throws {
        let immich = ImmichFixture(base: base)
        for _ in 0..<2 {
            let stolen = try await immich.token()
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await immich.send("PUT", "/users/me", stolen, name).status) }
            #expect(statuses == [200, 200, 429, 429])
            let unknown = "/sessions/\(UUID().uuidString.lowercased())"
            for _ in 0..<5 { _ = try await immich.send("DELETE", unknown, stolen) }
            #expect(try await immich.send("DELETE", unknown, stolen).status == 429)
        }
    }

    private static func limit(_ settings: inout GatewaySettings) {
        settings.requestRates.writes = .perMinute(4)
        settings.immich.isEnabled = true
        settings.immich.prefix = "/immich/api"
    }

    @Test("with stolen sessions that flood changes, the person ends them and changes the password on the pages")
    func pages() async throws {
        try await GatewayFixture.with {
            Self.limit(&$0)
            $0.pages.isEnabled = true
        } _: { base in
            try await base.addPerson()
            let owner = PageBrowser(base)
            #expect(try await owner.signIn().status == 303)
            let (sessions, ada) = (base.gateway.stores.sessions, try await ImmichFixture(base: base).person().id)
            let own = try await sessions.live(of: ada).map(\.id)
            try await Self.flood(base)

            #expect(try await owner.submit("/latch/account/pin", on: "/latch/account", []).status == 429)
            let stolen = try #require(try await sessions.live(of: ada).first { !own.contains($0.id) }).id
            let end = "/latch/account/devices/\(stolen)/end"
            #expect(try await owner.submit(end, on: "/latch/account").status == 303)
            let others = try await owner.submitAndConfirm(
                "/latch/account/devices/end-others", on: "/latch/account")
            #expect(others.status == 303)
            #expect(try await sessions.live(of: ada).map(\.id) == own)
        }
    }

    @Test("with stolen sessions that flood changes, the person ends them and changes the password in an Immich app")
    func immich() async throws {
        try await GatewayFixture.with(Self.limit) { base in
            try await base.addPerson()
            let app = ImmichFixture(base: base)
            let owner = try await app.token()
            try await Self.flood(base)

            #expect(try await app.send("PUT", "/users/me", owner, Self.name).status == 429)
            let other = try #require(
                try await app.send("GET", "/sessions", owner).json?.array?.first { $0["current"] == false })
            let path = "/sessions/\(try #require(other["id"]?.string))"
            #expect(try await app.send("DELETE", path, owner).status == 204)
            #expect(try await app.send("DELETE", "/sessions", owner).status == 204)
            let change: JSONValue = ["password": .string(GatewayFixture.password), "newPassword": "another horse 8"]
            #expect(try await app.send("POST", "/auth/change-password", owner, change).status == 200)
        }
    }

    @Test("sessions created from another have its number of changes, and one number of those that end access")
    func children() async throws {
        try await GatewayFixture.with(Self.limit) { base in
            try await base.addPerson()
            let app = ImmichFixture(base: base)
            let stolen = try await app.token()
            let child = try #require(try await app.send("POST", "/sessions", stolen, [:]).json?["token"]?.string)
            let sibling = try #require(try await app.send("POST", "/sessions", stolen, [:]).json?["token"]?.string)
            let unknown = "/sessions/\(UUID().uuidString.lowercased())"
            #expect(try await app.send("PUT", "/users/me", stolen, Self.name).status == 429)
            #expect(try await app.send("PUT", "/users/me", child, Self.name).status == 429)
            for token in [child, sibling, child, sibling] {
                #expect(try await app.send("DELETE", unknown, token).status == 400)
            }
            for token in [child, sibling] { #expect(try await app.send("DELETE", unknown, token).status == 429) }
            // So a stolen one keeps nobody from ending it.
            for _ in 0..<4 { #expect(try await app.send("DELETE", unknown, stolen).status == 400) }
            #expect(try await app.send("DELETE", unknown, stolen).status == 429)
            #expect(try await app.send("PUT", "/users/me", try await app.token(), Self.name).status == 200)
        }
    }

    @Test("with a stolen key that floods requests, the person revokes it in a Relate Mail program")
    func relateMail() async throws {
        try await RelateMailFixture.with({ settings in
            settings.requestRates.writes = .perMinute(4)
            settings.requestRates.credentials = .perMinute(10)
        }) { fixture in
            let (stolen, own) = (try await fixture.key(), try await fixture.key())
            for _ in 0..<4 { _ = try await fixture.revoke(UUID().uuidString, stolen.authorization) }
            #expect(try await fixture.revoke(stolen.id, stolen.authorization).status == 429)
            for _ in 0..<8 { _ = try await fixture.make(stolen.authorization) }
            #expect(try await fixture.make(own.authorization).status == 429)

            #expect(try await fixture.revoke(stolen.id, own.authorization).status == 204)
        }
    }

    @Test(
        "one session has half of the person's changes, at least one, and those that end access have a number of their own",
        arguments: [(4, [2, 2, 0]), (3, [1, 1, 1]), (1, [1, 0, 0])])
    func numbers(_ maximum: Int, _ ofSessions: [Int]) throws {
        var rates = RequestRates()
        rates.writes = .perMinute(maximum)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let limits = RequestLimits(rates, metrics: Metrics(), now: { now })
        let person = UUID()
        func changes(_ change: RequestLimits.Change, _ session: Character) -> Int {
            let caller = RequestCaller.session(SessionID(rawValue: String(repeating: session, count: 22)))
            return (0..<10).count { _ in limits.consume(change, by: caller, of: person) == nil }
        }
        #expect(["a", "b", "c"].map { changes(.other, $0) } == ofSessions)
        #expect(["a", "b", "c"].map { changes(.endsAccess, $0) } == [maximum, maximum, maximum])
    }
}
