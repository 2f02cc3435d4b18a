import CLibrary
import Database
import Foundation
import PostgreSQL
import TestSupport

/// A new database of a real PostgreSQL server, with one table.
struct ServerFixture {
    static let applicationID: Int32 = 0x4C74_7374
    static let migrations = [
        Migration(
            to: 1, named: "items",
            """
            CREATE TABLE items (id BIGINT PRIMARY KEY, name TEXT COLLATE "C" NOT NULL);
            CREATE FUNCTION tell_item() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM pg_notify('\(PostgreSQLDriver.channel)', 'item ' || NEW.id);
                RETURN NULL;
            END $$;
            CREATE TRIGGER tell_item AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION tell_item();
            """)
    ]
    static let insert = Statement("INSERT INTO items (id, name) VALUES (?, ?)", Int.self, String.self)
    static let ids = Statement("SELECT id FROM items ORDER BY id") { row throws(DatabaseError) in
        try row.get(0) as Int
    }

    let server: PostgreSQLServer
    let address: String
    let database: Database

    /// Creates a database at the shared server, or at another one.
    init(_ server: PostgreSQLServer? = nil, answerTimeout: Duration = SuccessTimeout.duration) async throws {
        let server = if let server { server } else { try await PostgreSQLServer.running() }
        self.server = server
        address = try await server.createDatabase()
        database = try await Database.open(Self.driver(address, answerTimeout), migrations: Self.migrations)
    }

    static func driver(
        _ address: String, _ answerTimeout: Duration = SuccessTimeout.duration, isBulk: Bool = false
    ) throws -> PostgreSQLDriver {
        PostgreSQLDriver(
            try PostgreSQLAddress(address), applicationID: applicationID, readerCount: 2, answerTimeout: answerTimeout,
            isBulk: isBulk)
    }

    /// Opens the database again, as another gateway does.
    func other(answerTimeout: Duration = SuccessTimeout.duration, isBulk: Bool = false) async throws -> Database {
        try await Database.open(Self.driver(address, answerTimeout, isBulk: isBulk), migrations: Self.migrations)
    }

    func add(_ id: Int, to database: Database? = nil) async throws {
        _ = try await (database ?? self.database).write { try $0.run(Self.insert, id, "item \(id)") }
    }

    func ids(_ database: Database? = nil) async throws -> [Int] {
        try await (database ?? self.database).read { try $0.all(Self.ids) }
    }

    /// The name of the database.
    var name: String { PostgreSQLServer.name(ofDatabaseAt: address) }

    /// Runs SQL outside of the driver.
    @discardableResult
    func query(_ sql: String) async throws -> String { try await server.query(sql, in: name) }

    /// Runs SQL in a transaction that stays open, and returns a function that ends it.
    func hold(_ sql: String) async throws -> @Sendable () async throws -> Void {
        try await server.hold(sql, in: name)
    }
}

/// The code of the error that `body` throws, or nil when it throws none.
func code(_ body: () async throws -> some Any) async -> DatabaseError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? DatabaseError)?.code
    }
}
