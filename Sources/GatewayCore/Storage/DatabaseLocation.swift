package import Database
import FoundationEssentials
package import PostgreSQL

/// Where a gateway stores its data.
package enum DatabaseLocation: Sendable, Equatable, CustomStringConvertible {
    /// An SQLite file at a path.
    case file(String)
    /// A database of a PostgreSQL server, which several gateways can share.
    case server(PostgreSQLAddress)
    /// Memory, for tests.
    case memory

    /// Parses a path or an address.
    ///
    /// - Throws: `DatabaseError` for an address that is malformed, unsafe or of another kind of database.
    package init(_ text: String) throws(DatabaseError) {
        // The text is not repeated, because it may contain a password.
        guard !text.isEmpty, PostgreSQLAddress.isAddress(text) || !text.contains("://") else {
            throw DatabaseError(
                .cannotOpen,
                "Could not use the address of the database: it is neither a path nor an address of PostgreSQL; write the "
                    + "path of an SQLite file, or 'postgresql://user@host/database'.")
        }
        self = PostgreSQLAddress.isAddress(text) ? .server(try PostgreSQLAddress(text)) : .file(text)
    }

    /// The path of the file. Nil for a database in another place.
    package var path: String? { if case .file(let path) = self { path } else { nil } }

    /// Whether this is a path without a file.
    package var isMissingFile: Bool { path.map { !FileManager.default.fileExists(atPath: $0) } ?? false }

    /// The database as messages name it: the path in quotes, or the database, the hosts and the user of the address.
    var subject: String { if case .server(let address) = self { address.description } else { "'\(description)'" } }

    /// The path, or the address of the server.
    package var description: String {
        switch self {
        case .file(let path): path
        case .server(let address): address.uri
        case .memory: "in memory"
        }
    }

    /// The version of the tables that this program uses.
    package static let schemaVersion = Schema.migrations.last?.version ?? 0

    /// Returns the version of the tables, without changing anything. 0 for a database without tables.
    ///
    /// - Throws: `DatabaseError` when the database does not exist, does not answer, or belongs to another program.
    package func schemaVersion() async throws(DatabaseError) -> Int {
        switch self {
        case .file(let path):
            try await Database.schemaVersion(.init(path: path, applicationID: Schema.applicationID))
        case .memory: Self.schemaVersion
        case .server(let address):
            try await Database.schemaVersion(PostgreSQLDriver(address, applicationID: Schema.applicationID))
        }
    }

    /// Opens the database as it is, to read it. If `isBulk`, transactions may take long.
    package func openForInspection(isBulk: Bool = false) async throws(DatabaseError) -> Database {
        switch self {
        case .file(let path):
            try await Database.inspect(Database.Configuration(path: path, applicationID: Schema.applicationID))
        case .memory: try await open()
        case .server(let address):
            try await Database.inspect(
                PostgreSQLDriver(
                    address, applicationID: Schema.applicationID,
                    answerTimeout: isBulk ? .seconds(86_400) : address.answerTimeout,
                    isBulk: isBulk))
        }
    }

    /// The number of connections for long reads. Two, so that the long read of one person does not delay that of
    /// another.
    static let longReaderCount = 2

    /// Opens the database, and creates or migrates its tables.
    ///
    /// - Parameter isBulk: Whether transactions may take long, because they copy many rows.
    /// - Returns: The open database.
    /// - Throws: `DatabaseError`.
    package func open(isBulk: Bool = false) async throws(DatabaseError) -> Database {
        switch self {
        case .file(let path):
            var configuration = Database.Configuration(path: path, applicationID: Schema.applicationID)
            configuration.longReaderCount = Self.longReaderCount
            return try await Database.open(configuration, migrations: Schema.migrations)
        case .memory:
            return try await Database.open(
                .inMemory(applicationID: Schema.applicationID), migrations: Schema.migrations)
        case .server(let address):
            return try await Database.open(
                PostgreSQLDriver(
                    address, applicationID: Schema.applicationID, longReaderCount: Self.longReaderCount,
                    answerTimeout: isBulk ? .seconds(86_400) : address.answerTimeout, isBulk: isBulk),
                migrations: Schema.postgreSQLMigrations)
        }
    }
}
