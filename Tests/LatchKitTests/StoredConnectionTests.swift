import Database
import Foundation
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// The settings of a connection that are stored with an account: in its row, and in the secret store.
@Suite(.timeLimit(.minutes(20))) struct StoredConnectionTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    @Test("extra headers are sent with every request, and their values are only in the secret store")
    func extraHeaders() async throws {
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first, connection: .init(extraHeaders: ["X-Key": "hidden-value"]))
        await first.close()

        let latch = try await fixture.home.open()
        _ = try await latch.session(for: account).client.send(.get, "/api/me")

        #expect(fixture.wire.requests.allSatisfy { $0.headers["X-Key"] == "hidden-value" })
        for file in try FileManager.default.subpathsOfDirectory(atPath: fixture.home.folders.data) {
            let data = FileManager.default.contents(atPath: fixture.home.folders.data + "/" + file) ?? Data()
            #expect(!data.leaks("hidden-value"))
        }
    }

    /// Damage to the stored settings of a connection: in the row or in the secret.
    enum Damage: String, CaseIterable, Sendable {
        case row = "no JSON", pin = "a pin that is none", secret = "a secret that is none", header = "half a header"
    }

    @Test(
        "nothing is sent while the stored trust settings of a server cannot be read, until they are given again",
        arguments: Damage.allCases)
    func unreadableTrust(_ damage: Damage) async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "right"]))
        let row = try #require(try await latch.accounts.record(account.id)).connection
        let secret = AccountStore.connectionKey(account.id)
        let damaged =
            switch damage {
            case .row: "no JSON"
            case .pin: "{\"pinnedCertificate\":\"zz\"," + row.dropFirst()
            case .secret, .header: row
            }
        if damage == .secret { try await fixture.home.secrets.write(Secret("no JSON"), for: secret) }
        if damage == .header { try await fixture.home.secrets.write(Secret(#"{"headers":[["X-Key"]]}"#), for: secret) }
        let spoil = Statement("UPDATE accounts SET connection = ?", String.self)
        try await latch.accounts.change { _ = try $0.run(spoil, damaged) }
        await latch.close()
        let asked = fixture.wire.requests.count

        let next = try await fixture.home.open()
        let error = try await #require(throws: LatchError.self) {
            try await next.session(for: account).identity()
        }
        #expect(error.code == .storageDamaged && error.message.contains("Sign in again"), "\(error)")
        let changed = try await #require(throws: LatchError.self) {
            try await next.changeConnection(of: account) { $0.proxy = "" }
        }
        #expect(changed.code == .storageDamaged)
        #expect(fixture.wire.requests.count == asked)

        let again = try await fixture.signIn(next, connection: .init(extraHeaders: ["X-Key": "right"]))
        #expect(again.id == account.id)
        #expect(try await next.session(for: again).identity().email == "ada@example.org")
        await next.close()
    }

    @Test("secrets of a connection that another program moves between two reads are found")
    func movedSecrets() async throws {
        let store = WatchedStore(fixture.home.secrets)
        let latch = try await fixture.home.open(secrets: store)
        let account = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "old"]))
        let other = try await fixture.home.open()
        let moved = Mutex(false)
        store.watch { act, key throws(SecretStorageError) in
            let isFirst =
                act == .read && key == AccountStore.connectionKey(account.id)
                && moved.withLock { moved in
                    defer { moved = true }
                    return !moved
                }
            guard isFirst else { return }
            do {
                _ = try await other.changeConnection(of: account) { $0.extraHeaders = ["X-Key": "new"] }
            } catch {
                throw SecretStorageError(.io, "\(error)")
            }
        }
        #expect(try await latch.accounts.connection(of: account.id).extraHeaders == ["X-Key": "new"])
        #expect(moved.withLock { $0 })

        // Secrets that are really missing are an error.
        store.watch { _, _ in }
        for slot in ConnectionRecord.slots {
            try await fixture.home.secrets.remove(AccountStore.connectionKey(account.id, slot: slot))
        }
        let error = try await #require(throws: LatchError.self) { try await latch.accounts.connection(of: account.id) }
        #expect(error.code == .secretStoreFailed)
    }
}
