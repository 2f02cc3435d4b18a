import Database
import TestSupport
import Testing

@Suite("Constraints", .timeLimit(.minutes(20)))
struct ConstraintTests {
    private static let migrations = [
        Migration(
            to: 1, named: "all kinds",
            """
            CREATE TABLE people (id INTEGER PRIMARY KEY, mail TEXT UNIQUE) STRICT;
            CREATE TABLE cards (
                id TEXT PRIMARY KEY, person INTEGER REFERENCES people (id), age INTEGER NOT NULL CHECK (age > 0)
            ) STRICT;
            INSERT INTO people VALUES (1, 'a@example.org');
            INSERT INTO cards VALUES ('x', 1, 1);
            """)
    ]

    @Test(
        "each violated constraint of the schema is named",
        arguments: [
            ("INSERT INTO people VALUES (1, 'b')", DatabaseError.Constraint.unique),
            ("INSERT INTO people VALUES (2, 'a@example.org')", .unique),
            ("INSERT INTO cards VALUES ('x', 1, 1)", .unique),
            ("INSERT INTO cards VALUES ('y', 2, 1)", .foreignKey),
            ("DELETE FROM people", .foreignKey),
            ("INSERT INTO cards VALUES ('y', 1, NULL)", .notNull),
            ("INSERT INTO cards VALUES ('y', 1, 0)", .check),
            ("INSERT INTO cards VALUES ('y', 1, 'old')", .other),
        ])
    func kinds(sql: String, expected: DatabaseError.Constraint) async throws {
        let database = try await Database.open(.inMemory(applicationID: 1), migrations: Self.migrations)
        let error = try await #require(throws: DatabaseError.self) {
            try await database.write { _ = try $0.run(Statement(sql)) }
        }
        #expect(error.code == .constraint(expected) && error.code.constraint == expected)
        #expect(!error.message.contains("a@example.org"))
    }

    @Test("a write in a read is reported as misuse, not as a read-only file", arguments: Storage.allCases)
    func writeInRead(storage: Storage) async throws {
        let fixture = try await DatabaseFixture(storage)
        let error = try await #require(throws: DatabaseError.self) {
            try await fixture.database.read { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        }
        #expect(error.code == .misuse && error.message.contains("use Database.write"))
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 2, "n") }
        #expect(try await fixture.ids() == [2])
    }
}
