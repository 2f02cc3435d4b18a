import Database
import FoundationEssentials
import PostgreSQL
import Testing

@Suite("Statements of PostgreSQL")
struct StatementTests {
    private struct Values: Equatable {
        let integer: Int64?
        let real: Double?
        let text: String?
        let bytes: [UInt8]?
        let flag: Bool?
    }

    private static let echo = Statement(
        "SELECT ?, ?, ?, ?, ?", Int64?.self, Double?.self, String?.self, [UInt8]?.self, Bool?.self
    ) { row throws(DatabaseError) in
        Values(
            integer: try row.get(0), real: try row.get(1), text: try row.get(2), bytes: try row.get(3),
            flag: try row.get(4))
    }

    @Test("values of every type are returned unchanged, and NUL in text is replaced")
    func values() async throws {
        let fixture = try await ServerFixture()
        let sets: [Values] = [
            Values(integer: .min, real: -0.5, text: "ä'?\"$1", bytes: [0, 255], flag: true),
            Values(integer: .max, real: .greatestFiniteMagnitude, text: "", bytes: [], flag: false),
            Values(integer: nil, real: nil, text: nil, bytes: nil, flag: nil),
            Values(integer: -1, real: .infinity, text: String(repeating: "x", count: 100_000), bytes: [1], flag: true),
        ]
        for set in sets {
            let echoed = try await fixture.database.read {
                try $0.first(Self.echo, set.integer, set.real, set.text, set.bytes, set.flag)
            }
            #expect(echoed == set)
        }
        let nul = try await fixture.database.read { try $0.first(Self.echo, 1, 1, "a\0b\0", [], true)?.text }
        #expect(nul == "a\u{FFFD}b\u{FFFD}")
    }

    @Test("parameters with and without numbers are translated, and question marks in text are kept")
    func parameters() async throws {
        let fixture = try await ServerFixture()
        let statement = Statement(
            "SELECT ?2 || '?' || ?1 || ? AS \"?\" WHERE ?4 > 0", String.self, String.self, String.self, Int.self
        ) { row throws(DatabaseError) in try row.get(0) as String }
        #expect(try await fixture.database.read { try $0.first(statement, "a", "b", "c", 1) } == "b?ac")
        let wrong = Statement("SELECT ?", Int.self, Int.self)
        #expect(await code { try await fixture.database.read { try $0.run(wrong, 1, 2) } } == .misuse)
    }

    @Test("run returns the number of changed rows, and 0 for a statement that reads")
    func changes() async throws {
        let fixture = try await ServerFixture()
        let counts = try await fixture.database.write { connection in
            try [
                connection.run(Statement("INSERT INTO items (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')")),
                connection.run(Statement("UPDATE items SET name = 'd' WHERE id > ?", Int.self), 1),
                connection.run(ServerFixture.ids),
                connection.run(Statement("DELETE FROM items")),
            ]
        }
        #expect(counts == [3, 2, 0, 3])
    }

    @Test("the functions of SQLite that statements use exist")
    func compatibility() async throws {
        let fixture = try await ServerFixture()
        let statement = Statement(
            """
            SELECT min(?1, ?2), max(?1, ?2), instr('abc', 'c'), (SELECT group_concat(value, ',') FROM json_each(?3))
            """, Int?.self, Int?.self, String.self
        ) { row throws(DatabaseError) in
            (try row.get(0) as Int?, try row.get(1) as Int?, try row.get(2) as Int, try row.get(3) as String?)
        }
        let found = try #require(
            try await fixture.database.read { try $0.first(statement, 3, 5, "[\"x\", \"y\"]") })
        #expect(found == (3, 5, 3, "x,y"))
        let none = try #require(try await fixture.database.read { try $0.first(statement, nil, 5, "[]") })
        #expect(none == (nil, nil, 3, nil))
    }

    @Test("thousands of statements whose values and rows fill the buffers of both sides are sent together")
    func longPipeline() async throws {
        let fixture = try await ServerFixture()
        let echo = Statement("SELECT ?", String.self) { row throws(DatabaseError) in try row.get(0) as String }
        let texts = (0..<2_000).map { String(repeating: "\($0) ", count: 4_000) }
        let echoed = try await fixture.database.read { try $0.firsts(echo, texts) }
        #expect(echoed == texts)
    }

    @Test("one connection uses more different statements than it keeps")
    func manyStatements() async throws {
        let fixture = try await ServerFixture()
        for _ in 0..<3 {
            let numbers = try await fixture.database.write { connection in
                try (0..<600).map { number in
                    let statement = Statement("SELECT \(number)") { row throws(DatabaseError) in try row.get(0) as Int }
                    return try connection.first(statement)
                }
            }
            #expect(numbers == Array(0..<600))
        }
    }
}
