import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The bounds on what a person and a client can add.
@Suite("Bounds of clients", .timeLimit(.minutes(20)))
struct ClientBoundTests {
    private static func resource(_ number: Int, count: Int = 0) -> String {
        "https://notes.example/\(number)" + String(repeating: "x", count: count)
    }

    @Test("of what a person allows a client, the last 32 addresses are remembered, and at most 8 KiB of them")
    func resources() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada) = (fixture.stores.clients, fixture.person.id)
            func allow(_ resources: [String]) async throws {
                try await clients.allow(ClientGrant(client: "notes", scopes: ["openid"], audience: resources), by: ada)
            }
            func isAllowed(_ resource: String) async throws -> Bool {
                try await clients.isAllowed(
                    ClientGrant(client: "notes", scopes: ["openid"], audience: [resource]), by: ada)
            }
            for number in 0..<100 { try await allow([Self.resource(number)]) }
            for number in 0..<100 {
                #expect(try await isAllowed(Self.resource(number)) == (number >= 68), "\(number)")
            }
            try await allow([Self.resource(68)])
            try await allow([Self.resource(100)])
            #expect(try await isAllowed(Self.resource(68)), "It was allowed again after 69.")
            #expect(try await !isAllowed(Self.resource(69)))

            let long = (0..<8).map { Self.resource($0, count: 1_000) }
            for first in 0..<40 { try await allow([Self.resource(1_000 + first, count: 1_000)]) }
            try await allow(long)
            let stored = try #require(try await clients.allowed(by: ada).first).grant
            #expect(stored.audience.suffix(8) == long[...])
            #expect(stored.audience.joined(separator: " ").utf8.count <= 8_192 + 300)
            #expect(stored.scopes == ["openid"])
        }
    }

    @Test("a person who allows more than 200 clients withdraws what was allowed first, of clients without a session")
    func consents() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada) = (fixture.stores.clients, fixture.person.id)
            func allow(_ client: String) async throws {
                try await clients.allow(ClientGrant(client: client, scopes: []), by: ada)
                fixture.clock.advance(1)
            }
            for number in 0..<ClientStore.maximumPerPerson { try await allow("app-\(number)") }
            let used = try await fixture.issue(ClientGrant(client: "app-0", scopes: []))

            for number in 0..<2 { try await allow("more-\(number)") }
            let ended = try await clients.allow(ClientGrant(client: "more-2", scopes: []), by: ada)
            #expect(ended == ["app-3"])

            let names = Set(try await clients.allowed(by: ada).map(\.grant.client))
            #expect(names.count == ClientStore.maximumPerPerson)
            for name in ["app-1", "app-2", "app-3"] { #expect(!names.contains(name)) }
            for name in ["app-0", "app-4", "more-0", "more-2"] { #expect(names.contains(name)) }
            #expect(try await fixture.access(used.accessToken) != nil)
        }
    }

    @Test("a client that signs a person in without end is refused after 120 times in an hour, and others are not")
    func newSessions() async throws {
        try await ClientSessionFixture.with { fixture in
            let maximum = SessionLifetime().maximumNewPerClient
            for _ in 0..<maximum { _ = try await fixture.issue() }

            let error = await #expect(throws: GatewayError.self) { _ = try await fixture.issue() }

            #expect(error?.code == .tooManySessions)
            _ = try await fixture.issue(ClientGrant(client: "mail", scopes: []))
            _ = try await fixture.issue(to: try await fixture.base.addPerson("bob@example.org"))
            fixture.clock.advance(3_600)
            _ = try await fixture.issue()
            #expect(try await fixture.count("client_sessions") == maximum + 3)
        }
    }

    @Test("sessions that ended because a code was used twice count as new ones of the client too")
    func newSessionsThatEnd() async throws {
        try await ClientSessionFixture.with { fixture in
            for _ in 0..<SessionLifetime().maximumNewPerClient {
                let session = try await fixture.issue().session
                _ = try await fixture.store.endSession(ofReusedCode: session, by: ClientSessionFixture.client())
            }
            let error = await #expect(throws: GatewayError.self) { _ = try await fixture.issue() }
            #expect(error?.code == .tooManySessions)
        }
    }

    @Test("a client displaces its own sessions of a person, and never those of the person's browsers")
    func displacedSessions() async throws {
        try await ClientSessionFixture.with({ $0.sessions.maximumPerPerson = 10 }) { fixture in
            var browsers: [String] = []
            for _ in 0..<5 { browsers.append(try await fixture.base.token()) }
            var others: [ClientTokens] = []
            for _ in 0..<2 { others.append(try await fixture.issue(ClientGrant(client: "mail", scopes: []))) }
            var own: [ClientTokens] = []
            for _ in 0..<30 {
                fixture.clock.advance(1)
                own.append(try await fixture.issue())
            }

            for token in browsers { #expect(try await fixture.base.me(token).status == 200) }
            for tokens in others { #expect(try await fixture.access(tokens.accessToken) != nil) }
            for (number, tokens) in own.enumerated() {
                #expect(try await (fixture.access(tokens.accessToken) != nil) == (number >= 27), "\(number)")
            }
            #expect(Set(fixture.revocations) == ["too-many-sessions"])
        }
    }

    @Test("a person's new sign-in displaces a session of the client that has the most")
    func fairShare() async throws {
        try await ClientSessionFixture.with({ $0.sessions.maximumPerPerson = 10 }) { fixture in
            let browser = try await fixture.base.token()
            var own: [ClientTokens] = []
            for _ in 0..<9 {
                fixture.clock.advance(1)
                own.append(try await fixture.issue())
            }
            fixture.clock.advance(1)
            let next = try await fixture.base.token()

            for token in [browser, next] { #expect(try await fixture.base.me(token).status == 200) }
            #expect(try await fixture.access(own[0].accessToken) == nil)
            #expect(try await fixture.access(own[1].accessToken) != nil)
        }
    }

    @Test("of the ended sessions of a person the last 200 are kept, and those whose tokens were stolen apart")
    func endedSessions() async throws {
        try await ClientSessionFixture.with { fixture in
            let stolen = try await fixture.issue().session
            _ = try await fixture.store.endSession(ofReusedCode: stolen, by: ClientSessionFixture.client())
            for _ in 0..<5 {
                fixture.clock.advance(3_600)
                for _ in 0..<100 {
                    let tokens = try await fixture.issue()
                    _ = try await fixture.store.end(tokens.refreshToken.reveal(), of: "notes")
                }
            }
            _ = try await fixture.issue()

            #expect(try await fixture.count("sessions") == SessionBounds.remembered + 2)
            #expect(try await fixture.count("client_sessions") == SessionBounds.remembered + 2)
            let found = try await fixture.stores.clients.stolen(
                from: fixture.person.id, since: fixture.clock.now - .seconds(day))
            #expect(found.count == 1)
        }
    }

    @Test("of the sessions of a person whose tokens were stolen the last 200 are kept")
    func stolenSessions() async throws {
        try await ClientSessionFixture.with { fixture in
            var last = fixture.clock.now
            for _ in 0..<SessionBounds.remembered + 9 {
                fixture.clock.advance(60)
                let session = try await fixture.issue().session
                _ = try await fixture.store.endSession(ofReusedCode: session, by: ClientSessionFixture.client())
                last = fixture.clock.now
            }
            _ = try await fixture.issue()
            #expect(try await fixture.count("sessions") == SessionBounds.remembered + 1)
            let found = try await fixture.stores.clients.stolen(
                from: fixture.person.id, since: fixture.clock.now - .seconds(day))
            #expect(found.map(\.ended).max() == last, "The newest stay.")
        }
    }

    @Test("of the expired sessions of a person the last 200 are kept")
    func expiredSessions() async throws {
        try await ClientSessionFixture.with({ $0.sessions.sliding = .seconds(60) }) { fixture in
            for _ in 0..<9 {
                for _ in 0..<50 { _ = try await fixture.issue() }
                fixture.clock.advance(3_600)
            }
            _ = try await fixture.issue()
            #expect(try await fixture.count("sessions") == SessionBounds.remembered + 1)
        }
    }

    @Test("a refresh that is repeated with other keys keeps four access tokens")
    func repeatedRefresh() async throws {
        try await ClientSessionFixture.with { fixture in
            let first = try await fixture.issue()
            var last: ClientTokens?
            for number in 0..<20 {
                let binding = TokenBinding(thumbprint: "key \(number % 2)", includesRefreshTokens: false)
                last = try await fixture.store.refresh(
                    first.refreshToken.reveal(), of: ClientSessionFixture.client("notes"), binding: binding
                ).tokens
            }
            #expect(try await fixture.count("access_tokens") == 1 + ClientSessionStore.maximumRepeatedTokens)
            let token = try #require(last?.accessToken)
            #expect(try await fixture.store.introspect(token.reveal()) != nil)
        }
    }

    @Test("a person who is the first user of too many registered clients displaces the one of them used longest ago")
    func firstUsers() async throws {
        try await Self.withFewClients { fixture in
            let clients = fixture.stores.clients
            let bob = try await fixture.base.addPerson("bob@example.org")
            let foreign = try await Self.register(fixture)
            _ = try await fixture.issue(ClientGrant(client: foreign, scopes: []), to: bob)
            var ids: [String] = []
            for _ in 0..<7 {
                fixture.clock.advance(60)
                ids.append(try await Self.register(fixture))
                _ = try await fixture.issue(ClientGrant(client: ids[ids.count - 1], scopes: []))
            }

            #expect(try await clients.client(ids[0]) == nil)
            #expect(try await clients.client(ids[1]) == nil)
            for id in ids.dropFirst(2) + [foreign] { #expect(try await clients.client(id) != nil) }
            let removed = fixture.base.lines.audit.filter { $0["event"]?.string == "client-removed" }
            #expect(removed.compactMap { $0["client"]?.string } == Array(ids.prefix(2)))
            #expect(removed.allSatisfy { $0["reason"]?.string == "too-many-of-person" })
        }
    }

    @Test("a client that others use, or that an administrator approved, is not displaced by others of its first user")
    func clientsOfOthers() async throws {
        try await Self.withFewClients { fixture in
            let clients = fixture.stores.clients
            let bob = try await fixture.base.addPerson("bob@example.org")
            func begin() async throws -> String {
                fixture.clock.advance(60)
                let id = try await Self.register(fixture)
                _ = try await fixture.issue(ClientGrant(client: id, scopes: []))
                return id
            }
            let approved = try await begin()
            _ = try await clients.decide(approved, .approved)
            let shared = try await begin()
            try await clients.allow(ClientGrant(client: shared, scopes: []), by: bob.id)
            var own: [String] = []
            for _ in 0..<8 { own.append(try await begin()) }

            for id in [approved, shared] + own.suffix(4) { #expect(try await clients.client(id) != nil) }
            for id in own.dropLast(4) { #expect(try await clients.client(id) == nil) }

            for id in own.suffix(4) { try await clients.allow(ClientGrant(client: id, scopes: []), by: bob.id) }
            let error = await #expect(throws: GatewayError.self) { _ = try await begin() }
            #expect(error?.code == .unknownClient, "Others use all five.")
            for id in [approved, shared] + own.suffix(4) { #expect(try await clients.client(id) != nil) }
        }
    }

    @Test("a new client that others have allowed something displaces none that others use")
    func clientOfAnAccomplice() async throws {
        try await Self.withFewClients { fixture in
            let clients = fixture.stores.clients
            let bob = try await fixture.base.addPerson("bob@example.org")
            var ids: [String] = []
            func begin() async throws {
                fixture.clock.advance(60)
                ids.append(try await Self.register(fixture))
                try await clients.allow(ClientGrant(client: ids[ids.count - 1], scopes: []), by: bob.id)
                _ = try await fixture.issue(ClientGrant(client: ids[ids.count - 1], scopes: []))
            }
            for _ in 0..<5 { try await begin() }

            let error = await #expect(throws: GatewayError.self) { try await begin() }
            #expect(error?.code == .unknownClient)
            #expect(try await clients.client(ids[5]) == nil)
            for id in ids.prefix(5) { #expect(try await clients.client(id) != nil) }
        }
    }

    @Test("one person is the first user of at most a quarter of the clients, of at least one and at most 64")
    func shareOfFirstUser() {
        for (maximum, share) in [(4, 1), (7, 1), (40, 10), (256, 64), (100_000, 64)] {
            #expect(ClientStore.maximumPerFirstPerson(of: maximum) == share)
        }
    }

    /// A gateway with at most 20 clients that registered themselves, so that a person may be the first user of five.
    private static func withFewClients(_ body: (ClientSessionFixture) async throws -> Void) async throws {
        try await ClientSessionFixture.with(
            {
                $0.authorizationServer.registration.isEnabled = true
                $0.authorizationServer.registration.maximum = 20
            }, body)
    }

    @Test(
        "when every place is taken by used clients, one that nobody has used for a week is removed, but no approved one"
    )
    func fullOfUsedClients() async throws {
        try await ClientSessionFixture.with({ $0.authorizationServer.registration.isEnabled = true }) { fixture in
            let clients = fixture.stores.clients
            var ids: [String] = []
            for number in 0..<8 {
                ids.append(try await Self.register(fixture, maximum: 8))
                _ = try await fixture.issue(ClientGrant(client: ids[number], scopes: []))
            }
            await #expect(throws: GatewayError.self) { _ = try await Self.register(fixture, maximum: 8) }
            fixture.clock.advance(8 * day)
            for id in ids.dropFirst(2) { _ = try await fixture.issue(ClientGrant(client: id, scopes: [])) }
            _ = try await clients.decide(ids[0], .approved)
            let next = try await Self.register(fixture, maximum: 8)
            #expect(try await clients.client(ids[0]) != nil)
            #expect(try await clients.client(ids[1]) == nil)
            #expect(try await clients.client(next) != nil)
            await #expect(throws: GatewayError.self) { _ = try await Self.register(fixture, maximum: 8) }
        }
    }

    @Test("all unverified clients are removed at once, and neither an approved one nor any other")
    func removedUnverified() async throws {
        try await ClientSessionFixture.with({ $0.authorizationServer.registration.isEnabled = true }) { fixture in
            let clients = fixture.stores.clients
            let added = try await clients.add(name: "Added", redirects: ["a:/b"], isConfidential: false).client
            let ids = [try await Self.register(fixture), try await Self.register(fixture)]
            let tokens = try await fixture.issue(ClientGrant(client: ids[0], scopes: []))

            let approved = try await Self.register(fixture)
            _ = try await clients.decide(approved, .approved)
            var removed: Set<String> = []
            try await clients.removeUnverified { removed.insert($0) }
            #expect(removed == Set(ids))

            #expect(Set(try await clients.list().map(\.id)) == [added.id, approved])
            #expect(try await fixture.access(tokens.accessToken) == nil)
        }
    }

    static func register(_ fixture: ClientSessionFixture, maximum: Int = 1_000) async throws -> String {
        let client = RegisteredClient(
            id: RegisteredClient.newID(), name: "App", secretHash: nil, redirects: ["a:/b"],
            created: fixture.clock.now,
            registration: ClientRegistration(tokenHash: SHA256.digest("token"), method: .none))
        try await fixture.stores.clients.register(client, from: AddressKey(nil), maximum: maximum)
        return client.id
    }
}
