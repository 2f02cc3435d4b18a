import Crypto
import Database
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite("Clients and what people allowed them", .timeLimit(.minutes(20)))
struct ClientStoreTests {
    private static let redirects = ["https://notes.example/back", "com.example.notes:/back"]
    private static let configured = RegisteredClient(
        id: "notes", name: "Notes", secretHash: nil, redirects: ["http://127.0.0.1/back"])

    @Test("an added client is found and listed after those of the configuration, by name, until it is removed")
    func added() async throws {
        try await GatewayFixture.with({ $0.authorizationServer.clients = [Self.configured] }) { fixture in
            let clients = fixture.gateway.stores.clients
            let (web, secret) = try await clients.add(
                name: "Web", redirects: Self.redirects, isConfidential: true, requiresProof: true,
                signOut: ClientSignOutSettings(redirects: ["https://a.example/bye"], address: "https://a.example/out"),
                accessTokens: .signed)
            let (app, none) = try await clients.add(name: "App", redirects: ["a:/b"], isConfidential: false)

            #expect(none == nil && !app.isConfidential)
            #expect(web.secretHash == secret.map { SHA256.digest($0) } && secret?.count == 43)
            #expect(try await clients.list() == [Self.configured, app, web])
            #expect(try await clients.client(web.id) == web && web.accessTokens == .signed && web.requiresProof)
            #expect(web.redirects == Self.redirects && web.created == fixture.clock.now)

            #expect(try await clients.remove(web.id) == 0)
            #expect(try await clients.client(web.id) == nil)
            #expect(try await clients.list() == [Self.configured, app])
        }
    }

    @Test("a client of the configuration comes before a stored one with its id, and is not removed here")
    func configured() async throws {
        try await GatewayFixture.with({ $0.authorizationServer.clients = [Self.configured] }) { fixture in
            let clients = fixture.gateway.stores.clients
            let inConfiguration = await #expect(throws: GatewayError.self) { try await clients.remove("notes") }
            #expect(inConfiguration?.code == .unknownClient)
            #expect(inConfiguration?.message.contains("remove 'oauth.clients.notes' there") == true)
            let unknown = await #expect(throws: GatewayError.self) { try await clients.remove("none") }
            #expect(unknown?.message == "No client has the id 'none'; 'latchd clients list' shows them.")

            _ = try await fixture.gateway.stores.database.write { connection in
                try connection.run(
                    ClientStatements.insert, "notes", "Other", nil, "a:/b", false, false, fixture.clock.now, nil, "",
                    nil, "opaque", "", 9)
            }
            #expect(try await clients.client("notes") == Self.configured)
            #expect(try await clients.list() == [Self.configured])
        }
    }

    @Test("an id begins with a letter or a digit, because it is an argument of commands")
    func newID() {
        let ids = (0..<2_000).map { _ in RegisteredClient.newID() }
        #expect(Set(ids).count == 2_000)
        #expect(ids.allSatisfy { $0.utf8.count == 22 && !$0.hasPrefix("-") && !$0.hasPrefix("_") })
    }

    @Test("the number of stored clients has a maximum")
    func maximum() async throws {
        try await GatewayFixture.with { fixture in
            let (clients, now) = (fixture.gateway.stores.clients, fixture.clock.now)
            try await fixture.gateway.stores.database.write { connection in
                for number in 1..<ClientStore.maximum {
                    try connection.run(
                        ClientStatements.insert, "\(number)", "App", nil, "a:/b", false, false, now, nil, "", nil,
                        "opaque", "", 9_999
                    )
                }
            }
            let last = try await clients.add(name: "Last", redirects: ["a:/b"], isConfidential: false).client
            let error = await #expect(throws: GatewayError.self) {
                try await clients.add(name: "One more", redirects: ["a:/b"], isConfidential: false)
            }
            #expect(error?.code == .tooManyClients)
            try await clients.remove(last.id)
            _ = try await clients.add(name: "One more", redirects: ["a:/b"], isConfidential: false)
        }
    }

    @Test("what a person allows is added to what was allowed before, and belongs to that person and client")
    func consent() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada) = (fixture.stores.clients, fixture.person.id)
            let bob = try await fixture.base.addPerson("bob@example.org").id
            func grant(_ scopes: [String], _ audience: [String] = [], client: String = "notes") -> ClientGrant {
                ClientGrant(client: client, scopes: scopes, audience: audience)
            }
            #expect(try await !clients.isAllowed(grant([]), by: ada))
            let first = fixture.clock.now
            try await clients.allow(grant(["openid", "profile"]), by: ada)
            fixture.clock.advance(hour)
            try await clients.allow(grant(["openid", "email"], ["https://notes.example"]), by: ada)

            #expect(try await clients.isAllowed(grant(["email", "profile"]), by: ada))
            #expect(try await clients.isAllowed(grant(["email", "openid"], ["https://notes.example"]), by: ada))
            #expect(try await !clients.isAllowed(grant(["profile"], ["https://notes.example"]), by: ada))
            #expect(try await !clients.isAllowed(grant(["email", "groups"]), by: ada))
            #expect(try await !clients.isAllowed(grant(["email"], ["https://other.example"]), by: ada))
            #expect(try await !clients.isAllowed(grant(["openid"]), by: bob))
            #expect(try await !clients.isAllowed(grant(["openid"], client: "Notes"), by: ada))

            let allowed = try #require(try await clients.allowed(by: ada).first)
            #expect(allowed.grant == grant(["profile", "openid", "email"], ["https://notes.example"]))
            #expect(allowed.granted == first && allowed.sessions == 0)
        }
    }

    @Test(
        "scopes that a person allowed at one address are not allowed at another one, until the person allows them there"
    )
    func consentByAddress() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada) = (fixture.stores.clients, fixture.person.id)
            let (notes, mail) = ("https://notes.example", "https://mail.example")
            func grant(_ scopes: [String], _ audience: [String]) -> ClientGrant {
                ClientGrant(client: "app", scopes: scopes, audience: audience)
            }
            try await clients.allow(grant(["write"], [notes]), by: ada)
            try await clients.allow(grant(["openid"], [mail]), by: ada)

            for asked in [
                grant(["write"], [notes]), grant(["openid"], [mail]), grant(["write", "openid"], []),
                grant([], [notes, mail]),
            ] { #expect(try await clients.isAllowed(asked, by: ada), "\(asked)") }
            for asked in [
                grant(["write"], [mail]), grant(["openid"], [notes]), grant(["write"], [notes, mail]),
                grant(["write", "openid"], [notes]),
            ] { #expect(try await !clients.isAllowed(asked, by: ada), "\(asked)") }

            try await clients.allow(grant(["write", "read"], [mail, notes]), by: ada)
            #expect(try await clients.isAllowed(grant(["write", "openid"], [mail]), by: ada))
            #expect(try await clients.isAllowed(grant(["read"], [notes, mail]), by: ada))
            #expect(try await !clients.isAllowed(grant(["openid"], [mail, notes]), by: ada))
            let all = try #require(try await clients.allowed(by: ada).first).grant
            #expect(all == grant(["openid", "write", "read"], [mail, notes]))
        }
    }

    @Test(
        "of what an earlier version stored, scopes are allowed at this server, and at an address only after a question")
    func consentOfEarlierVersion() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada) = (fixture.stores.clients, fixture.person.id)
            let (notes, mail) = ("https://notes.example", "https://mail.example")
            func isAllowed(_ scopes: [String], _ audience: [String] = []) async throws -> Bool {
                try await clients.isAllowed(ClientGrant(client: "app", scopes: scopes, audience: audience), by: ada)
            }
            try await clients.allow(ClientGrant(client: "app", scopes: ["openid"]), by: ada)
            // A gateway of the version before adds to these columns only.
            _ = try await fixture.stores.database.write { connection in
                try connection.run(
                    Statement(
                        "UPDATE client_consents SET scopes = 'openid write', audience = ? WHERE person_id = ?",
                        String.self, UUID.self), "\(notes) \(mail)", ada)
            }

            #expect(try await isAllowed(["openid", "write"]))
            #expect(try await isAllowed([], [notes, mail]))
            #expect(try await !isAllowed(["write"], [notes]))
            #expect(try await !isAllowed(["openid"], [mail]))
            let all = ClientGrant(client: "app", scopes: ["openid", "write"], audience: [notes, mail])
            let shown = try #require(try await clients.allowed(by: ada).first).grant
            #expect(Set(shown.scopes) == Set(all.scopes) && shown.audience == all.audience)

            try await clients.allow(ClientGrant(client: "app", scopes: ["write"], audience: [mail]), by: ada)
            #expect(try await isAllowed(["write"], [mail]))
            #expect(try await !isAllowed(["write"], [notes]))
            let later = try #require(try await clients.allowed(by: ada).first).grant
            #expect(Set(later.scopes) == Set(all.scopes) && Set(later.audience) == Set(all.audience))
        }
    }

    @Test("what a person allowed has the name that the person saw last")
    func name() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada, grant) = (fixture.stores.clients, fixture.person.id, ClientSessionFixture.grant)
            try await clients.allow(grant, by: ada)
            #expect(try await clients.allowed(by: ada).map(\.name) == [nil], "from before names were stored")
            #expect(try await clients.isAllowed(grant, by: ada, named: "Notes"))

            try await clients.allow(grant, by: ada, named: "Notes")
            #expect(try await clients.allowed(by: ada).map(\.name) == ["Notes"])
            #expect(try await clients.isAllowed(grant, by: ada, named: "Notes"))
            #expect(try await clients.isAllowed(grant, by: ada))
            #expect(try await !clients.isAllowed(grant, by: ada, named: "notes"))

            try await clients.allow(grant, by: ada, named: "notes")
            #expect(try await clients.allowed(by: ada).map(\.name) == ["notes"])
        }
    }

    @Test("withdrawing ends only this person's sessions of this client")
    func withdrawn() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada, grant) = (fixture.stores.clients, fixture.person.id, ClientSessionFixture.grant)
            let bob = try await fixture.base.addPerson("bob@example.org")
            try await clients.allow(grant, by: ada)
            try await clients.allow(grant, by: bob.id)
            let own = [try await fixture.issue(), try await fixture.issue()]
            let mail = ClientGrant(client: "mail", scopes: [])
            let others = [try await fixture.issue(mail), try await fixture.issue(to: bob)]
            #expect(try await clients.allowed(by: ada).map(\.sessions) == [2])
            let asking = Session(now: fixture.person, fixture.base.clock.now)

            #expect(try await clients.withdraw(grant.client, asking: asking))

            for tokens in own {
                #expect(try await fixture.access(tokens.accessToken) == nil)
                #expect(try await fixture.refresh(tokens.refreshToken).isRefused)
                #expect(try await fixture.session(tokens.session).endReason == .signedOut)
            }
            for tokens in others { #expect(try await fixture.access(tokens.accessToken) != nil) }
            #expect(try await clients.allowed(by: ada) == [])
            #expect(try await clients.allowed(by: bob.id).map(\.sessions) == [1])
            #expect(try await !clients.withdraw(grant.client, asking: asking))
        }
    }

    @Test("removing a client ends everybody's sessions of it, and forgets what they allowed")
    func removed() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada) = (fixture.stores.clients, fixture.person.id)
            let id = try await clients.add(name: "App", redirects: ["a:/b"], isConfidential: false).client.id
            let bob = try await fixture.base.addPerson("bob@example.org")
            let grant = ClientGrant(client: id, scopes: ["openid"])
            try await clients.allow(grant, by: ada)
            let tokens = [try await fixture.issue(grant), try await fixture.issue(grant, to: bob)]
            let other = try await fixture.issue()

            #expect(try await clients.remove(id) == 2)

            for tokens in tokens {
                #expect(try await fixture.access(tokens.accessToken) == nil)
                #expect(try await fixture.session(tokens.session).endReason == .revoked)
            }
            #expect(try await fixture.access(other.accessToken) != nil)
            #expect(try await clients.allowed(by: ada) == [])
        }
    }

    @Test("stolen sessions of a person are found, and no others")
    func stolen() async throws {
        try await ClientSessionFixture.with { fixture in
            let (clients, ada) = (fixture.stores.clients, fixture.person.id)
            let bob = try await fixture.base.addPerson("bob@example.org")
            let stolen = try await fixture.issue()
            try await clients.allow(ClientSessionFixture.grant, by: ada)
            _ = try await fixture.store.endSession(
                ofReusedCode: try await fixture.issue(to: bob).session, by: ClientSessionFixture.client("notes"))
            _ = try await fixture.store.end(try await fixture.issue().refreshToken.reveal(), of: "notes")
            _ = try await fixture.store.endSession(
                ofReusedCode: stolen.session, by: ClientSessionFixture.client("notes"))

            let now = fixture.clock.now
            let found = try await clients.stolen(from: ada, since: now - .seconds(1))
            #expect(found.map(\.client) == ["notes"] && found.first?.ended == now)
            #expect(found.first?.device == SessionDevice(name: "Notes", kind: "App", address: "192.0.2.7"))
            #expect(try await clients.stolen(from: ada, since: now) == [])
        }
    }
}
