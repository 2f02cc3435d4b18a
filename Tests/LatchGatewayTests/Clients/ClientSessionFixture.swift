import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// A gateway with an authorization server and a person, to whose client the tests issue tokens.
struct ClientSessionFixture: Sendable {
    static let grant = ClientGrant(
        client: "notes", scopes: ["openid", "profile"], audience: ["https://notes.example"])

    let base: GatewayFixture
    let person: Person
    let store: ClientSessionStore

    static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (ClientSessionFixture) async throws -> Void
    ) async throws {
        try await GatewayFixture.with({
            $0.pages.isEnabled = true
            $0.authorizationServer.isEnabled = true
            change(&$0)
        }) { base in
            let store = try #require(base.gateway.services.clientSessions)
            try await body(ClientSessionFixture(base: base, person: try await base.addPerson(), store: store))
        }
    }

    var clock: TestClock { base.clock }
    var stores: GatewayStores { base.gateway.stores }

    /// The tokens of a new session of a client.
    func issue(
        _ grant: ClientGrant = grant, to person: Person? = nil, from browser: SessionID = .random(),
        requiresConsent: Bool = false, settings: ClientSettings = ClientSettings()
    ) async throws -> ClientTokens {
        try await store.issue(
            grant, to: Self.client(grant.client, settings), for: person ?? self.person,
            device: SessionDevice(name: "Notes", kind: SessionDevice.clientKind, address: "192.0.2.7"),
            id: .random(), authenticated: clock.now, from: browser, requiresConsent: requiresConsent)
    }

    func refresh(
        _ token: Secret, of client: String = "notes", key thumbprint: String? = nil,
        settings: ClientSettings = ClientSettings()
    ) async throws -> ClientRefresh {
        try await store.refresh(
            token.reveal(), of: Self.client(client, settings),
            binding: thumbprint.map { TokenBinding(thumbprint: $0, includesRefreshTokens: true) })
    }

    /// A public client with settings.
    static func client(_ id: String = "notes", _ settings: ClientSettings = ClientSettings()) -> RegisteredClient {
        RegisteredClient(id: id, name: "Notes", secretHash: nil, redirects: [], settings: settings)
    }

    /// The tokens of a refresh that must succeed.
    func renewed(_ token: Secret) async throws -> ClientTokens { try #require(try await refresh(token).tokens) }

    func access(_ token: Secret) async throws -> ClientAccess? { try await store.authenticate(token.reveal()) }

    /// Deletes expired access tokens, as a gateway does from time to time.
    func purge() async throws { try await ClientSessionStore.purge(stores.database, now: clock.now) }

    /// The stored session.
    func session(_ id: SessionID) async throws -> SessionSummary {
        try #require(try await stores.sessions.list().first { $0.id == id })
    }

    /// The number of rows in a table.
    func count(_ table: String) async throws -> Int? {
        try await stores.database.read { connection in
            try connection.first(
                Statement("SELECT count(*) FROM \(table)") { row throws(DatabaseError) in try row.get(0) as Int })
        }
    }

    /// The reasons of the audit events that ended sessions.
    var revocations: [String?] {
        base.lines.audit.filter { $0["event"]?.string == "revoked" }.map { $0["reason"]?.string }
    }
}

extension ClientRefresh {
    var tokens: ClientTokens? { if case .tokens(let tokens) = self { tokens } else { nil } }
    var isRefused: Bool { if case .refused = self { true } else { false } }
    var isStolen: Bool { if case .stolen = self { true } else { false } }
}

extension ClientTokens {
    /// The texts of both tokens.
    var texts: [String] { [accessToken.reveal(), refreshToken.reveal()] }
}
