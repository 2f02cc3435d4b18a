import Crypto
import Database
import Foundation
import SecretStorage
import TestSupport
import Testing

@testable import LatchKit

/// What a sign-out deletes of what a sign-in stored.
@Suite("IM-11 The effects of signing out", .timeLimit(.minutes(10)))
struct ImmichSignOutTests {
    private let fixture: ImmichFixture

    init() throws { fixture = try ImmichFixture() }

    @Test("IM-11 signing out leaves nothing of the account in any table, file or secret")
    func nothingLeft() async throws {
        let store = WatchedStore(fixture.home.secrets)
        let written = Shared<Set<SecretKey>>([])
        store.watch { act, key in if act == .write { written.change { keys in _ = keys.insert(key) } } }
        let latch = try await fixture.home.open(secrets: store)
        fixture.servePicture { (version: "1", body: ImmichFixture.picture, path: "/a.gif") }
        let connection = ConnectionOptions(extraHeaders: ["X-Key": "the key of the first proxy"])
        let account = try await fixture.signIn(latch, connection: connection)
        let endpoint = Endpoint(
            id: UUID(), address: try ServerAddress("https://photos.example.org"),
            connection: StoredConnection(
                ConnectionOptions(extraHeaders: ["X-Key": "the key of another proxy"]), replacing: nil
            ).record)
        try await latch.accounts.add(
            endpoint, isLocal: true, person: ImmichScript.me,
            secret: StoredConnection(
                ConnectionOptions(extraHeaders: ["X-Key": "the key of another proxy"]), replacing: nil
            ).secret, to: account.id)
        try await latch.addWifiName("Home sweet home", of: account)
        _ = try await latch.session(for: account).client.cached("/api/albums")
        let texts = [
            account.id.uuidString.lowercased(), "ada@example.org", ImmichScript.me, ImmichFixture.picture,
            "Home sweet home", "photos.example.org", "albumName\":\"Summer",
        ]
        // The test fails when a new table that belongs to accounts is not filled here.
        for (table, count) in try await latch.accounts.rows(of: account.id) {
            #expect(count == 1, "\(table) has \(count) rows of the account")
        }
        let before = try texts.filter { try fixture.home.files(holding: $0).isEmpty }
        #expect(before == [], "not stored at all")
        #expect(written.value.count == 3, "\(written.value)")

        try await latch.signOut(account)

        for (table, count) in try await latch.accounts.rows(of: account.id) {
            #expect(count == 0, "\(table) has \(count) rows of the account")
        }
        await latch.close()
        for text in texts {
            #expect(try fixture.home.files(holding: text) == [], "'\(text)' is left")
        }
        for key in written.value { #expect(try await fixture.home.secrets.read(key) == nil, "\(key)") }
    }

    @Test("IM-11 the person's data is deleted also when the secret store does not remove the token")
    func failingStore() async throws {
        let store = WatchedStore(fixture.home.secrets)
        let latch = try await fixture.home.open(secrets: store)
        fixture.servePicture { (version: "1", body: ImmichFixture.picture, path: "/a.gif") }
        let account = try await fixture.signIn(latch)
        store.watch { act, _ throws(SecretStorageError) in
            if act == .remove { throw SecretStorageError(.io, "The store cannot be written.") }
        }
        await #expect(throws: LatchError.self) { try await latch.signOut(account) }
        #expect(try await latch.accounts.storedPicture(of: account.id)?.bytes == nil)
        #expect(try await latch.firstSync(of: account) == nil)
        await latch.close()
    }

    @Test("IM-11 a session that the server ended keeps account and addresses, and loses the person's data")
    func endedByServer() async throws {
        let latch = try await fixture.home.open()
        fixture.servePicture { (version: "1", body: ImmichFixture.picture, path: "/a.gif") }
        let account = try await fixture.signIn(latch)
        try await latch.addWifiName("Home sweet home", of: account)
        _ = try await latch.session(for: account).client.cached("/api/albums")
        fixture.immich.set { $0.live = [:] }
        await #expect(throws: LatchError.self) { try await latch.session(for: account).identity() }

        let ended = try #require(try await latch.accounts.account(account.id))
        #expect(ended.endedBecause != nil && ended.personID == ImmichScript.me && ended.displayName == "Ada")
        #expect(try await latch.endpoints(of: account).wifiNames == ["Home sweet home"])
        #expect(try await latch.firstSync(of: account) == nil)
        #expect(try await latch.profilePicture(of: account) == nil)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        await latch.close()
        #expect(try fixture.home.files(holding: ImmichFixture.picture) == [])
        #expect(try fixture.home.files(holding: "albumName\":\"Summer") == [])

        // The next sign-in uses the account again.
        let next = try await fixture.home.open()
        #expect(try await fixture.signIn(next).id == account.id)
        #expect(try await next.firstSync(of: account)?.albums == 1)
        #expect(try await next.profilePicture(of: account) != nil)
        await next.close()
    }
}

extension AccountStore {
    /// Returns how many rows each table has that belong to an account, for every table that refers to accounts.
    fileprivate func rows(of id: UUID) async throws -> [String: Int] {
        let tables = Statement(
            """
            SELECT m.name, f."from" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f \
            WHERE m.type = 'table' AND f."table" = 'accounts' UNION SELECT 'accounts', 'id'
            """
        ) { row throws(DatabaseError) in (try row.get(0) as String, try row.get(1) as String) }
        return try await database.read { connection in
            var counts: [String: Int] = [:]
            for (table, column) in try connection.all(tables) {
                let count = Statement("SELECT count(*) FROM \"\(table)\" WHERE \"\(column)\" = ?", UUID.self) {
                    row throws(DatabaseError) in try row.get(0) as Int
                }
                counts[table] = try connection.first(count, id)
            }
            return counts
        }
    }
}
