import Crypto
import Foundation
import HTTPMessages
import HTTPServer
import ScriptedProvider
import TestSupport

@testable import LatchKit

/// A home, a server of Relate Mail with its identity provider, and a person who signs in there.
struct RelateMailFixture: Sendable {
    let home: HomeFixture
    let server: RelateMailScript
    let wire: ScriptedServer
    let provider: ScriptedProvider
    let address: ServerAddress
    let person: BrowserPerson

    init(
        _ release: RelateMailScript.Release = .init(), provider change: ProviderScript = ProviderScript(),
        credentials: TLSCredentials? = nil
    ) async throws {
        home = try HomeFixture()
        var script = change
        // A client without a secret: its name alone, in the form.
        script.isClient = { request, form in
            request.headers["Authorization"] == nil && form["client_id"] == ScriptedProvider.clientID
                && form["client_secret"] == nil
        }
        provider = try await ScriptedProvider.start(
            script, at: home.clock.now.timeIntervalSince1970, credentials: credentials)
        let server = RelateMailScript(release, issuer: provider.issuer)
        self.server = server
        wire = try ScriptedServer { server.response($0) }
        address = try ServerAddress("http://127.0.0.1:\(wire.port)")
        person = BrowserPerson(home: home)
    }

    /// The dialect by the home's clock, which stands still as the provider's does.
    var dialect: RelateMailDialect { RelateMailDialect(provider: nil, now: { [home] in home.clock.now }) }

    func probe(
        _ connection: ConnectionOptions = .init(proxy: ""), at place: ServerAddress? = nil
    ) async throws -> ProbeReport {
        try await ServerProbe(connection: connection, dialects: [dialect]).run(place ?? address)
    }

    /// Finds the server and signs in with the browser, by the custom scheme.
    func signIn(
        _ latch: LatchClient, scopes: [String]? = nil, connection: ConnectionOptions = .init(proxy: ""),
        at place: ServerAddress? = nil
    ) async throws -> Account {
        let found = try await probe(connection, at: place).requireServer()
        var signIn = person.signIn()
        signIn.scopes = scopes
        let signingIn = signIn
        return try await withThrowingTaskGroup(of: Account?.self) { group in
            group.addTask { try await latch.signIn(signingIn, to: found) }
            group.addTask {
                let address = await person.address()
                guard !address.isEmpty else { return nil }
                try person.open(await person.link(from: address))
                return nil
            }
            defer { group.cancelAll() }
            while let account = try await group.next() {
                if let account { return account }
            }
            throw CancellationError()
        }
    }

    func signIn(_ latch: LatchClient, key: String) async throws -> Account {
        try await latch.signIn(KeySignIn(key: Secret(key)), to: try await probe().requireServer())
    }

    /// The key and its id that are in the secret store.
    func stored(_ account: Account) async throws -> SessionTokens? {
        try await home.secrets.read(AccountStore.tokenKey(account.id)).map { SessionTokens(stored: $0) }
    }

    func stop() async { await provider.stop() }
}
