package import Database
package import PostgreSQL

/// Where a gateway stores its data.
package enum DatabaseLocation: Sendable, Equatable, CustomStringConvertible {
    /// An SQLite file at a path.
    case file(String)
    /// A database of a PostgreSQL server, which several gateways can share.
    case server(PostgreSQLAddress)
    /// Memory, for tests.
    case memory

    /// The path of the file. Nil for a database in another place.
    package var path: String? { if case .file(let path) = self { path } else { nil } }

    /// The path, or the address of the server.
    package var description: String {
        switch self {
        case .file(let path): path
        case .server(let address): address.uri
        case .memory: "in memory"
        }
    }

    /// Opens the database, and creates or migrates its tables.
    ///
    /// - Throws: `DatabaseError`.
    package func open() async throws(DatabaseError) -> Database {
        switch self {
        case .file(let path):
            try await Database.open(
                Database.Configuration(path: path, applicationID: Schema.applicationID), migrations: Schema.migrations)
        case .memory:
            try await Database.open(
                .inMemory(applicationID: Schema.applicationID), migrations: Schema.migrations)
        case .server(let address):
            try await Database.open(
                PostgreSQLDriver(address, applicationID: Schema.applicationID), migrations: Schema.postgreSQLMigrations)
        }
    }
}
