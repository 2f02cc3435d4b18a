import FoundationEssentials
import GatewayHTTP
import TestSupport
import Testing

@testable import Database
@testable import GatewayCore
@testable import PictureLibrary

/// The numbers of files of each month, which the triggers of the database keep.
@Suite("The months of a picture library", .timeLimit(.minutes(20)))
struct TimelineMonthTests {
    private struct Month: Sendable, Hashable {
        let owner: String
        let visibility: String
        let folder: String
        let day: String
        let count: Int
    }

    private static func months(_ sql: String) -> Statement<Month> {
        Statement(sql) { row throws(DatabaseError) in
            Month(
                owner: try row.get(0), visibility: try row.get(1), folder: try row.get(2), day: try row.get(3),
                count: try row.get(4))
        }
    }

    private static let stored = months("SELECT owner, visibility, folder, day, count FROM asset_months")

    private static let month =
        TestDatabase.isServer
        ? "to_char(to_timestamp(local_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-\"01\"')"
        : "strftime('%Y-%m-01', local_at / 1000, 'unixepoch')"

    private static let counted = months(
        ["''", "folder"].map { folder in
            """
            SELECT owner, visibility, \(folder), \(month), count(*)
            FROM assets WHERE NOT is_locked OR visibility = 'locked' GROUP BY 1, 2, 3, 4
            """
        }.joined(separator: " UNION ALL "))

    /// Checks that the stored numbers are those of the files.
    private static func expectCorrect(_ database: Database, _ step: Comment) async throws {
        let (stored, counted) = try await database.read { (try $0.all(Self.stored), try $0.all(Self.counted)) }
        #expect(Set(stored) == Set(counted) && stored.count == counted.count, step)
    }

    @Test("the stored numbers are correct after files were added, changed, moved, locked, paired and removed")
    func changes() async throws {
        try await LibraryFixture.with { fixture in
            let database = fixture.stores.database
            for (name, day) in [("a.jpg", 0), ("b.jpg", 0), ("See/c.jpg", 40), ("See/d.jpg", 400), ("e.jpg", 800)] {
                try fixture.put(name, at: "ada@example.org/" + name, day: day)
            }
            try fixture.put("shed", at: "bob@example.org/shed.jpg", day: 40)
            try fixture.put("secret", at: "ada@example.org/.locked/s.jpg", day: 0)
            try await fixture.library.scan()
            try await Self.expectCorrect(database, "added")
            let added = try await database.read { try $0.all(Self.stored) }
            let ofAda = added.filter { $0.folder.isEmpty && $0.owner == "ada@example.org" }
            #expect(ofAda.map(\.count).sorted() == [1, 1, 1, 1, 2])

            try fixture.put("taken in another month", at: "ada@example.org/a.jpg", day: 90)
            try await fixture.library.scan()
            try await Self.expectCorrect(database, "changed")

            try fixture.move("ada@example.org/b.jpg", to: "ada@example.org/See/b.jpg")
            try fixture.move("ada@example.org/See/c.jpg", to: "bob@example.org/c.jpg")
            try fixture.move("ada@example.org/e.jpg", to: "ada@example.org/.locked/e.jpg")
            try fixture.move("ada@example.org/.locked/s.jpg", to: "ada@example.org/s.jpg")
            #expect(try await fixture.library.scan().moved == 4)
            try await Self.expectCorrect(database, "moved")

            try fixture.put("film", at: "ada@example.org/See/d.mov", day: 0)
            try fixture.put("film", at: "ada@example.org/.locked/e.mov", day: 0)
            try await fixture.library.scan()
            #expect(try await fixture.hidden("ada@example.org").count == 1)
            try await Self.expectCorrect(database, "paired")

            for name in ["ada@example.org/See", "ada@example.org/.locked", "bob@example.org/shed.jpg"] {
                try fixture.remove(name)
            }
            try await fixture.library.scan()
            try await Self.expectCorrect(database, "removed")
            #expect(try await database.read { try $0.all(Self.stored) }.filter(\.folder.isEmpty).count == 3)
        }
    }

    @Test("a migration counts the files of a version 15 database", .onlySQLite)
    func migration() async throws {
        let folder = try TemporaryDirectory()
        let file = Database.Configuration(path: folder.file("latchd.db"), applicationID: Schema.applicationID)
        let old = try await Database.open(file, migrations: Array(Schema.migrations.prefix(15)))
        let insert = Statement(
            """
            INSERT INTO assets (id, folder, name, sought_name, owner, kind, size, modified_at, inode, sha1, taken_at,
                local_at, visibility, is_locked, added_at, updated_at)
            SELECT value, 'ada/' || value % 2, value, value, 'ada', 'IMAGE', 1, 0, 0, x'', 0, value * 864000000,
                CASE value % 7 WHEN 0 THEN 'hidden' ELSE 'timeline' END, value % 3 = 0, 0, 0 FROM json_each(?)
            """, String.self)
        let list = "[" + (0..<60).map(String.init).joined(separator: ",") + "]"
        try await old.write { _ = try $0.run(insert, list) }
        await old.close()

        let database = try await Database.open(file, migrations: Schema.migrations)
        try await Self.expectCorrect(database, "migrated")
        #expect(try await database.read { try $0.all(Self.stored) }.isEmpty == false)
        await database.close()
    }

    @Test("the list of months reads only the stored numbers of the owners, and no file", .onlySQLite)
    func plan() async throws {
        try await LibraryFixture.with { fixture in
            let text = AssetStatements.months.text.sql.replacing(/\?\d*/, with: "NULL")
            let explain = Statement("EXPLAIN QUERY PLAN \(text)") { row throws(DatabaseError) in
                try row.get(3) as String
            }
            let plan = try await fixture.stores.database.read { try $0.all(explain) }
            let search = "SEARCH asset_months USING PRIMARY KEY (owner=? AND visibility=? AND folder=?)"
            let usesKey = plan.contains { $0.hasPrefix(search) }
            #expect(usesKey && !plan.contains { $0.contains("SCAN") || $0.hasSuffix(" assets") }, "\(plan)")
        }
    }
}
