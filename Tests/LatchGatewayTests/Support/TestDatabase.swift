import Foundation
import GatewayCore
import PostgreSQL
import TestSupport
import Testing

/// The kind of database that the tests use: SQLite, or PostgreSQL if the environment has
/// `LATCHSTRING_TEST_DATABASE=postgresql`. The module tests run with both.
enum TestDatabase {
    static let isServer = ProcessInfo.processInfo.environment["LATCHSTRING_TEST_DATABASE"] == "postgresql"

    /// Returns the location of a new, empty database.
    ///
    /// - Parameter folder: The folder of the file.
    static func location(in folder: TemporaryDirectory) async throws -> DatabaseLocation {
        guard isServer else { return .file(folder.file("latchd.db")) }
        return try await server()
    }

    /// Returns the location of a new, empty database in memory, or of a new PostgreSQL database.
    static func temporary() async throws -> DatabaseLocation {
        isServer ? try await server() : .memory
    }

    /// Returns the address of a new, empty PostgreSQL database.
    static func server() async throws -> DatabaseLocation {
        try await .server(PostgreSQLAddress(PostgreSQLServer.running().createDatabase()))
    }
}

extension Trait where Self == ConditionTrait {
    /// The test concerns SQLite only.
    static var onlySQLite: Self { .disabled(if: TestDatabase.isServer) }
}
