import Database
import FoundationEssentials
import TestSupport
import Testing

@Suite("Statements", .timeLimit(.minutes(20)))
struct StatementTests {
    @Test("every value is returned as it was bound", arguments: Storage.allCases)
    func roundTrip(storage: Storage) async throws {
        let fixture = try await DatabaseFixture(storage)
        let date = Date(timeIntervalSince1970: 1_700_000_000.123)
        let id = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF"))
        let text = "Grüße\0aus 東京"

        let row = try await fixture.database.write { connection in
            try connection.first(Self.echo, -7, Int64.min, 1.5, text, [0, 255], true, date, id, String?.none)
        }

        let values = try #require(row)
        #expect(values.int == -7 && values.long == .min && values.real == 1.5 && values.text == text)
        #expect(values.bytes == [0, 255] && values.flag && values.date == date && values.id == id)
        #expect(values.nothing == nil)
    }

    @Test("the empty text and the empty blob are not NULL")
    func emptyValues() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let statement = Statement("SELECT ?, ?", String.self, [UInt8].self) { row throws(DatabaseError) in
            (try row.get(0) as String, try row.get(1) as [UInt8])
        }
        let row = try await fixture.database.read { try $0.first(statement, "", []) }
        #expect(row?.0 == "" && row?.1 == [])
    }

    @Test("a UUID is stored as lower-case text and a date as whole milliseconds")
    func storedForms() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let statement = Statement("SELECT ?, ?", UUID.self, Date.self) { row throws(DatabaseError) in
            (try row.get(0) as String, try row.get(1) as Int)
        }
        let id = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF"))
        let row = try await fixture.database.read { try $0.first(statement, id, Date(timeIntervalSince1970: -0.5)) }
        #expect(row?.0 == "6f9619ff-8b86-d011-b42d-00c04fc964ff")
        #expect(row?.1 == -500)
    }

    private static let echo = Statement(
        "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?", Int.self, Int64.self, Double.self, String.self, [UInt8].self, Bool.self,
        Date.self, UUID.self, String?.self
    ) { row throws(DatabaseError) in
        (
            int: try row.get(0) as Int, long: try row.get(1) as Int64, real: try row.get(2) as Double,
            text: try row.get(3) as String, bytes: try row.get(4) as [UInt8], flag: try row.get(5) as Bool,
            date: try row.get(6) as Date, id: try row.get(7) as UUID, nothing: try row.get(8) as String?
        )
    }

    @Test(
        "the error for a wrong type or NULL names the column and the statement, never the value",
        arguments: ["'hunter2-hunter2'", "NULL", "1.5", "x'00'"])
    func wrongType(value: String) async throws {
        let fixture = try await DatabaseFixture(.memory)
        let statement = Statement("SELECT \(value) AS age") { row throws(DatabaseError) in try row.get(0) as Int }
        let error = try await #require(throws: DatabaseError.self) {
            _ = try await fixture.database.read { try $0.first(statement) }
        }
        #expect(error.code == .unexpectedValue)
        #expect(error.message.contains("'age'") && error.message.contains("AS age"))
    }

    @Test("values outside their type's range are refused, not wrapped")
    func ranges() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let flag = Statement("SELECT 2") { row throws(DatabaseError) in try row.get(0) as Bool }
        let id = Statement("SELECT 'x'") { row throws(DatabaseError) in try row.get(0) as UUID }
        let text = Statement("SELECT CAST(x'FF' AS TEXT)") { row throws(DatabaseError) in try row.get(0) as String }
        let codes = try await fixture.database.read { connection in
            [
                code { try connection.first(flag) }, code { try connection.first(id) },
                code { try connection.first(text) },
            ]
        }
        #expect(codes == [.unexpectedValue, .unexpectedValue, .unexpectedValue])
        let date = Statement("SELECT ?", Date.self)
        let far = try await fixture.database.read { connection in
            code { try connection.run(date, Date(timeIntervalSince1970: .infinity)) }
        }
        #expect(far == .misuse)
    }

    @Test("reading a column that the statement does not have is reported as misuse")
    func missingColumn() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let statement = Statement("SELECT 1") { row throws(DatabaseError) in try row.get(1) as Int }
        let found = try await fixture.database.read { connection in code { try connection.first(statement) } }
        #expect(found == .misuse)
    }

    @Test(
        "SQL that does not match its declaration is reported at its first use, with the SQL",
        arguments: ["SELECT 1", "SELECT ?, ?", "SELEC ?", "SELECT ?; SELECT 2", "", "SELECT ? FROM nowhere"])
    func wrongSQL(sql: String) async throws {
        let fixture = try await DatabaseFixture(.memory)
        let statement = Statement(sql, Int.self)
        let error = try await #require(throws: DatabaseError.self) {
            try await fixture.database.read { _ = try $0.run(statement, 1) }
        }
        #expect(error.code == .misuse)
        #expect(error.message.contains(sql) && error.message.contains("bug in the program"))
    }

    @Test("a trailing semicolon and comment are not a second statement")
    func trailing() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let changes = try await fixture.database.read { try $0.run(Statement("SELECT 1;\n")) }
        #expect(changes == 0)
    }

    @Test("run counts only its own changed rows")
    func changes() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let counts = try await fixture.database.write { connection in
            [
                try connection.run(DatabaseFixture.insert, 1, "a"), try connection.run(DatabaseFixture.insert, 2, "b"),
                try connection.run(Statement("SELECT 1")), try connection.run(Statement("UPDATE items SET name = 'c'")),
                try connection.run(Statement("CREATE TABLE other (id)")),
                try connection.run(Statement("DELETE FROM items WHERE id = ?", Int.self), 9),
            ]
        }
        #expect(counts == [1, 1, 0, 2, 0, 0])
    }

    @Test("one SQL text with different parameter or row types is compiled once and read with each type")
    func sameSQL() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let number = Statement("SELECT ?", Int.self) { row throws(DatabaseError) in try row.get(0) as Int }
        let text = Statement("SELECT ?", String.self) { row throws(DatabaseError) in try row.get(0) as String }
        let result = try await fixture.database.read { (try $0.first(number, 3), try $0.first(text, "x")) }
        #expect(result.0 == 3 && result.1 == "x")
    }

    @Test("thousands of statements created at run time do not confuse the cache")
    func manyStatements() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let sum = try await fixture.database.read { connection in
            var sum = 0
            for number in 0..<3000 {
                let statement = Statement("SELECT \(number % 700)") { row throws(DatabaseError) in
                    try row.get(0) as Int
                }
                sum += try connection.first(statement) == number % 700 ? 1 : 0
            }
            return sum
        }
        #expect(sum == 3000)
    }

    private enum Kind: String, SQLBindable, SQLReadable {
        case phone, laptop
    }

    @Test("a raw-representable type is stored as its raw value, and an unknown one is refused")
    func rawValues() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let kind = Statement("SELECT ?", Kind.self) { row throws(DatabaseError) in try row.get(0) as Kind }
        let unknown = Statement("SELECT 'toaster'") { row throws(DatabaseError) in try row.get(0) as Kind }
        let found = try await fixture.database.read { connection in
            (try connection.first(kind, .laptop), code { try connection.first(unknown) })
        }
        #expect(found.0 == .laptop && found.1 == .unexpectedValue)
    }

    @Test("first changes all rows of a statement that returns them")
    func returning() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let take = Statement("DELETE FROM items RETURNING id") { row throws(DatabaseError) in try row.get(0) as Int }
        let stored = try await fixture.database.write { connection in
            for id in 1...3 { try connection.run(DatabaseFixture.insert, id, "n") }
            return try connection.first(take)
        }
        #expect(stored == 1)
        #expect(try await fixture.ids() == [])
    }

    @Test("bound values are cleared after use")
    func clearsBindings() async throws {
        let fixture = try await DatabaseFixture(.memory)
        let statement = Statement("SELECT ?1, ?2", Int?.self, Int?.self) { row throws(DatabaseError) in
            [try row.get(0) as Int?, try row.get(1) as Int?]
        }
        let rows = try await fixture.database.read {
            [try $0.first(statement, 1, 2), try $0.first(statement, nil, nil)]
        }
        #expect(rows == [[1, 2], [nil, nil]])
    }
}
