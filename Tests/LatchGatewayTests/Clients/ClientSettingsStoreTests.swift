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

@Suite("What administrators decide about clients", .timeLimit(.minutes(20)))
struct ClientSettingsStoreTests {
    /// Settings that all differ from the defaults.
    private static var settings: ClientSettings {
        var settings = ClientSettings()
        settings.admission = .administrators
        settings.users = ["ada@example.org", "b\"o\\b@example.org"]
        settings.groups = ["Domain Users", "caf\u{E9}"]
        settings.maximumAge = .seconds(300)
        settings.level = .multiFactor
        settings.accessTokenLifetime = .seconds(61)
        settings.sessionLifetime = .seconds(3_600)
        settings.sessionMaximum = .seconds(86_400)
        settings.requiresPushedRequests = true
        settings.scopes = ["openid", "notes.read"]
        settings.issuesRefreshTokens = false
        settings.requiresChallenge = false
        settings.hasIDTokenClaims = true
        return settings
    }

    @Test("every setting is stored with an added client, and changed and reset later")
    func stored() async throws {
        try await ClientSessionFixture.with { fixture in
            let clients = fixture.stores.clients
            let defaults = ClientSettings()
            for setting in ClientSetting.all { #expect(setting.isChanged(in: Self.settings), "\(setting.name)") }
            let added = try await clients.add(
                name: "Notes", redirects: ["a:/b"], isConfidential: false, settings: Self.settings
            ).client
            #expect(try await clients.client(added.id)?.settings == Self.settings)
            #expect(try await clients.list().map(\.settings) == [Self.settings])
            let reset = try await clients.set(added.id) { settings in
                for setting in ClientSetting.all { setting.reset(in: &settings) }
            }
            #expect(reset.settings == defaults && defaults.text.isEmpty)
            #expect(try await clients.set(added.id) { $0 = Self.settings }.settings == Self.settings)
            let failed = await #expect(throws: GatewayError.self) {
                try await clients.set(added.id) { _ in throw GatewayError(.busy, "no") }
            }
            #expect(failed?.code == .busy)
            #expect(try await clients.client(added.id)?.settings == Self.settings)
            let unknown = await #expect(throws: GatewayError.self) { try await clients.set("none") { _ in } }
            #expect(unknown?.code == .unknownClient)
        }
    }

    @Test("nobody may sign in to a client whose settings a newer version stored")
    func unreadable() async throws {
        try await ClientSessionFixture.with { fixture in
            let client = try await fixture.stores.clients.add(name: "Notes", redirects: ["a:/b"], isConfidential: false)
                .client
            for text in ["x", "[]", #"{"networks":["10.0.0.0/8"]}"#, #"{"groups":[1]}"#, #"{"allow":"friends"}"#] {
                _ = try await fixture.stores.database.write {
                    try $0.run(ClientStatements.setSettings, text, client.id)
                }
                let stored = try #require(try await fixture.stores.clients.client(client.id))
                #expect(stored.settings.admission == .nobody, "\(text)")
                #expect(stored.refusal(of: fixture.person, in: ["staff"], .multiFactor) == .notAdmitted)
            }
        }
    }

    @Test("the session of a client has the times of its settings, bounded by those of the server")
    func lifetimes() async throws {
        try await ClientSessionFixture.with { fixture in
            let start = fixture.clock.now
            var settings = ClientSettings()
            settings.sessionLifetime = .seconds(400 * 86_400)
            settings.sessionMaximum = .seconds(400 * 86_400)
            settings.accessTokenLifetime = .seconds(86_400)
            let bounded = try await fixture.session(try await fixture.issue(settings: settings).session)
            #expect(bounded.expires == start + fixture.stores.settings.sessions.sliding)
            settings.sessionLifetime = .seconds(1_000)
            let short = try await fixture.issue(settings: settings)
            #expect(try await fixture.session(short.session).expires == start + .seconds(1_000))
            settings.sessionLifetime = .seconds(500)
            fixture.clock.advance(100)
            let renewed = try #require(try await fixture.refresh(short.refreshToken, settings: settings).tokens)
            #expect(try await fixture.session(renewed.session).expires == start + .seconds(600))
            settings.sessionMaximum = .seconds(100)
            #expect(try await fixture.refresh(renewed.refreshToken, settings: settings).isRefused)
            settings.sessionMaximum = nil
            settings.sessionLifetime = nil
            settings.issuesRefreshTokens = false
            let single = try await fixture.session(try await fixture.issue(settings: settings).session)
            #expect(single.expires == fixture.clock.now + .seconds(600))
            #expect(try await fixture.refresh(renewed.refreshToken, settings: settings).isRefused)
        }
    }

    @Test("a person who may not sign in gets no session, and one who has one loses it at the refresh")
    func refused() async throws {
        try await ClientSessionFixture.with { fixture in
            var settings = ClientSettings()
            settings.groups = ["staff"]
            let refused = await #expect(throws: ClientRefusal.self) { try await fixture.issue(settings: settings) }
            #expect(refused == .notAdmitted)
            #expect(try await fixture.count("client_sessions") == 0)
            let tokens = try await fixture.issue()
            #expect(try await fixture.refresh(tokens.refreshToken, of: "mail", settings: settings).isRefused)
            #expect(try await fixture.access(tokens.accessToken) != nil, "another client cannot end it")
            #expect(try await fixture.refresh(tokens.refreshToken, settings: settings).isRefused)
            #expect(try await fixture.access(tokens.accessToken) == nil)
            #expect(fixture.revocations == ["not-admitted"])
        }
    }

    private static func register(
        _ fixture: ClientSessionFixture, _ id: String, _ approval: ClientApproval = .waiting
    ) async throws {
        try await fixture.stores.clients.register(
            registered(fixture, id, approval), from: AddressKey(nil), maximum: 4_000)
    }

    private static func registered(
        _ fixture: ClientSessionFixture, _ id: String, _ approval: ClientApproval, name: String = "Self"
    ) -> RegisteredClient {
        RegisteredClient(
            id: id, name: name, secretHash: nil, redirects: ["a:/b"], created: fixture.clock.now,
            registration: ClientRegistration(tokenHash: SHA256.digest(id), method: .none, approval: approval))
    }

    @Test("a registration waits, is approved, waits again when it changes, and is refused")
    func approval() async throws {
        try await ClientSessionFixture.with { fixture in
            let clients = fixture.stores.clients
            try await Self.register(fixture, "self")
            func state() async throws -> ClientApproval? { try await clients.client("self")?.registration?.approval }
            #expect(try await state() == .waiting)
            #expect(try await clients.decide("self", .approved).isChanged)
            #expect(try await !clients.decide("self", .approved).isChanged)
            #expect(try await state() == .approved)

            let same = Self.registered(fixture, "self", .approved)
            let other = Self.registered(fixture, "self", .approved, name: "Our wiki")
            _ = try await clients.update(same, requiresApproval: true)
            #expect(try await state() == .approved)
            _ = try await clients.update(other, requiresApproval: false)
            #expect(try await state() == .notRequired, "what was approved is not what it is now")
            _ = try await clients.update(same, requiresApproval: true)
            #expect(try await state() == .waiting)

            _ = try await clients.decide("self", .approved)
            let grant = ClientGrant(client: "self", scopes: ["openid"])
            try await clients.allow(grant, by: fixture.person.id)
            let tokens = try await fixture.issue(grant)
            #expect(try await clients.decide("self", .refused).isChanged)
            #expect(try await fixture.access(tokens.accessToken) == nil)
            #expect(try await clients.allowed(by: fixture.person.id).isEmpty)
            _ = try await clients.update(other, requiresApproval: true)
            #expect(try await state() == .refused, "a change does not undo it")

            let added = try await clients.add(name: "Web", redirects: ["a:/b"], isConfidential: false).client
            let error = await #expect(throws: GatewayError.self) { try await clients.decide(added.id, .approved) }
            #expect(error?.code == .unknownClient)
        }
    }

    @Test("only the client that an administrator saw is approved, whatever of it changed since")
    func approvedAsSeen() async throws {
        let keys = try #require(ClientKeys(Self.keys))
        try await ClientSessionFixture.with { fixture in
            let clients = fixture.stores.clients
            func client(
                name: String = "Self", secret: String? = nil, redirects: [String] = ["a:/b"], device: Bool = false,
                keys: ClientKeys? = nil, bye: [String] = []
            ) -> RegisteredClient {
                RegisteredClient(
                    id: "self", name: name, secretHash: secret.map { SHA256.digest($0) }, redirects: redirects,
                    allowsDevice: device, created: fixture.clock.now, keys: keys,
                    registration: ClientRegistration(
                        tokenHash: SHA256.digest("self"), method: .none, approval: .waiting),
                    signOut: ClientSignOutSettings(redirects: bye))
            }
            try await clients.register(client(), from: AddressKey(nil), maximum: 4_000)
            let seen = try #require(try await clients.client("self")).identityDigest
            #expect(seen.utf8.count == 43)
            let changes = [
                client(name: "Other"), client(name: "Se\u{301}lf"), client(name: "S\u{e9}lf"), client(secret: "s"),
                client(redirects: ["a:/c"]), client(redirects: ["a:/b", "a:/c"]), client(device: true),
                client(keys: keys), client(bye: ["a:/b"]),
            ]
            #expect(Set(changes.map(\.identityDigest) + [seen]).count == changes.count + 1)
            for change in changes {
                _ = try await clients.update(change, requiresApproval: true)
                let error = await #expect(throws: GatewayError.self) {
                    try await clients.decide("self", .approved, ifStill: seen)
                }
                #expect(error?.code == .clientChanged && error?.message.contains("latchd clients show self") == true)
                #expect(try await clients.client("self")?.registration?.approval == .waiting)
            }
            _ = try await clients.update(client(), requiresApproval: true)
            #expect(try await clients.decide("self", .approved, ifStill: seen).isChanged)
        }
    }

    private static let keys =
        #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#

    @Test(
        "a client whose stored credential cannot be read is an error, never a public client, and can be removed",
        arguments: [
            "key_set = '{}'", "secret_hash = registration_address", "registration_hash = registration_address",
            "registration_method = 'other'", "approval = 'other'",
        ])
    func unreadable(_ change: String) async throws {
        try await ClientSessionFixture.with { fixture in
            let clients = fixture.stores.clients
            try await clients.register(
                RegisteredClient(
                    id: "self", name: "Self", secretHash: nil, redirects: ["a:/b"], created: fixture.clock.now,
                    keys: ClientKeys(Self.keys),
                    registration: ClientRegistration(tokenHash: SHA256.digest("self"), method: .signedStatement)),
                from: AddressKey(nil), maximum: 4_000)
            _ = try await fixture.stores.database.write { try $0.run(Statement("UPDATE clients SET \(change)")) }
            let error = await #expect(throws: DatabaseError.self) { try await clients.client("self") }
            #expect(error?.code == .unexpectedValue)
            try await clients.remove("self")
            #expect(try await clients.list().isEmpty)
        }
    }

    @Test("a client stays as long as the settings say, and an approved one counts as used")
    func registrationLifetimes() async throws {
        try await ClientSessionFixture.with({
            $0.authorizationServer.registration.unusedLifetime = .seconds(7_200)
            $0.authorizationServer.registration.idleLifetime = .seconds(2 * 86_400)
        }) { fixture in
            let clients = fixture.stores.clients
            for id in ["waits", "approved"] { try await Self.register(fixture, id) }
            _ = try await clients.decide("approved", .approved)
            fixture.clock.advance(7_199)
            await fixture.base.gateway.purge()
            #expect(try await clients.list().count == 2)
            fixture.clock.advance(2)
            await fixture.base.gateway.purge()
            #expect(try await clients.list().map(\.id) == ["approved"])
            fixture.clock.advance(2 * 86_400)
            await fixture.base.gateway.purge()
            #expect(try await clients.list().isEmpty)
        }
    }
}
