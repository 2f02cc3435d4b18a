import Database
import Foundation
import HTTPClient
import HTTPMessages
import SecretStorage
import TestSupport
import Testing

@testable import LatchDownloads
@testable import LatchKit

/// The tables of downloads in an accounts database of every version.
@Suite(.timeLimit(.minutes(20)))
struct DownloadSchemaTests {
    private let folder = try! TemporaryDirectory()
    private var folders: Folders { Folders(data: folder.path + "/data") }

    /// Every migration by its number, as when the file had one version.
    private static let all = (AccountSchema.migrations + DownloadSchema.schema.migrations)
        .sorted { $0.version < $1.version }

    private func openEarlier(_ version: Int) async throws -> Database {
        try folders.make()
        return try await Database.open(
            Database.Configuration(path: folders.database, applicationID: AccountSchema.applicationID),
            migrations: Self.all.filter { $0.version <= version })
    }

    private func openLatch() async throws -> LatchClient {
        try await LatchClient.open(.init(folders: folders, secrets: MemoryStore()))
    }

    private static let definitions = Statement(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
    ) { row throws(DatabaseError) in try row.get(0) as String }

    @Test("An accounts database of any version is migrated to the tables of a new one", arguments: 1...14)
    func fromEachVersion(version: Int) async throws {
        await (try openEarlier(version)).close()
        let latch = try await openLatch()
        let upgraded = try await DownloadDatabase(latch).read { try $0.all(Self.definitions) }
        await latch.close()

        let other = DownloadSchemaTests()
        let new = try await other.openLatch()
        #expect(upgraded == (try await DownloadDatabase(new).read { try $0.all(Self.definitions) }))
        await new.close()
    }

    @Test("DL-13 a failure that an earlier version stored no longer names a command of the terminal")
    func neutralReasons() async throws {
        let fixture = try await DownloadFixture()
        try await fixture.queue().add([fixture.task("one")])
        let earlier = "Server is not reachable. Gave up after 15 minutes. "
        let row = Statement("UPDATE downloads SET state = 'failed', reason = ?", String.self)
        let version = DownloadSchema.schema.migrations.first { $0.version == 18 }
        let update = try #require(version).sql.split(separator: ";").last { $0.contains("replace(") } ?? ""
        try await fixture.latch.accounts.database.write { connection in
            _ = try connection.run(row, earlier + "When the server is back: latch downloads retry")
            _ = try connection.run(Statement(String(update)))
        }
        let state = try await fixture.state("one", fixture.queue())
        #expect(state == .failed(earlier + "Retry when the server is back."))
        await fixture.latch.close()
    }

    @Test("IM-11 signing out leaves nothing of the account in the tables of downloads but the folder that was chosen")
    func signedOut() async throws {
        let fixture = try await DownloadFixture()
        let queue = fixture.queue()
        try await queue.add([
            DownloadTask(
                id: "1", account: fixture.account.id, url: "/files/1", filename: "1", group: .file)
        ])
        try await LibraryLocations(fixture.latch).remember("/pictures", for: fixture.account)
        let id = fixture.account.id.uuidString.lowercased()
        func tables(containing text: String) async throws -> [String] {
            try await DownloadDatabase(fixture.latch).read { connection in
                let names = Statement("SELECT name FROM sqlite_schema WHERE type = 'table'") {
                    row throws(DatabaseError) in try row.get(0) as String
                }
                return try connection.all(names).filter { table in
                    let columns = Statement("SELECT name FROM pragma_table_info('\(table)')") {
                        row throws(DatabaseError) in try row.get(0) as String
                    }
                    return try connection.all(columns).contains { column in
                        let count = Statement(
                            "SELECT count(*) FROM \"\(table)\" WHERE lower(\"\(column)\") = ?", String.self
                        ) { row throws(DatabaseError) in try row.get(0) as Int }
                        return try connection.first(count, text) ?? 0 > 0
                    }
                }
            }
        }
        #expect(Set(try await tables(containing: id)).isSuperset(of: ["downloads", "download_counts", "accounts"]))

        try await fixture.latch.signOut(fixture.account)

        #expect(try await tables(containing: id) == [])
        #expect(try await tables(containing: fixture.account.userEmail.lowercased()) == ["download_folders"])
        #expect(try await tables(containing: "127.0.0.1:\(fixture.server.port)") == [])
        await fixture.latch.close()
    }

    @Test("a client without downloads has no tables for them")
    func withoutDownloads() async throws {
        let latch = try await openLatch()
        let sql = try await latch.accounts.database.read { try $0.all(Self.definitions) }
        #expect(!sql.isEmpty && !sql.contains { $0.contains("download") || $0.contains("librar") })
        await latch.close()
    }

    @Test(
        "DL-3 a file time from version 13 cannot resume a download; one from version 14 and entity tags can",
        arguments: [13, 14])
    func storedTimes(version: Int) async throws {
        let earlier = try await openEarlier(version)
        try await earlier.write { connection in
            _ = try connection.run(
                Statement(
                    """
                    INSERT INTO accounts (id, display_name, server_url, user_email, scopes, created_at, last_used_at, dialect, stage)
                    VALUES ('a', '', '', '', '', 0, 0, '', 'out')
                    """))
            for (id, point) in [
                ("time", #"{"count":5,"lastModified":"x","isTimeStrong":true}"#),
                ("tag", #"{"count":5,"entityTag":"\"1\"","isTimeStrong":false}"#),
            ] {
                let insert = Statement(
                    """
                    INSERT INTO downloads (account, id, host, grp, url, headers, filename, wants_progress, metadata, state, resume)
                    VALUES ('a', ?, '', '', '', '{}', '', 0, '{}', 'paused', ?)
                    """, String.self, String.self)
                _ = try connection.run(insert, id, point)
            }
        }
        await earlier.close()
        let latch = try await openLatch()
        let points = Statement("SELECT resume FROM downloads ORDER BY id") { row throws(DatabaseError) in
            try row.get(0) as String
        }
        let stored = try await DownloadDatabase(latch).read { try $0.all(points) }
        let read = try stored.map { try JSON.decode(ResumePoint.self, from: Array($0.utf8)) }
        #expect(read.map(\.identifiesVersion) == [true, version == 14] && read.map(\.count) == [5, 5])
        await latch.close()
    }

    @Test(
        "A resume point is stored in the form in which an encoder would store it",
        arguments: [
            ResumePoint(),
            ResumePoint(
                count: 5, total: 7, entityTag: #"W/"ä\"/"#, lastModified: "Sat, 21 Nov 2026 12:00:00 GMT",
                isTimeStrong: true,
                place: "0a"),
        ])
    func storedPoint(_ point: ResumePoint) throws {
        let text = DownloadStore.json(point)
        #expect(try JSON.decode(ResumePoint.self, from: Array(text.utf8)) == point)
        let (written, encoded) = try (JSONValue(parsing: Array(text.utf8)), JSONValue(parsing: JSON.encode(point)))
        let members = try #require(encoded.members)
        #expect(written.members?.count == members.count)
        for member in members { #expect(written[member.name] == member.value) }
    }
}
