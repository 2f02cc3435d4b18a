import Database
import Foundation
import GatewayCore
import PostgreSQL
import TestSupport
import Testing

/// The kind of database that the tests use: SQLite, or PostgreSQL if the environment has
/// `LATCHSTRING_TEST_DATABASE=postgresql`. The module tests run with both.
enum TestDatabase {
    static let isServer = ProcessInfo.processInfo.environment["LATCHSTRING_TEST_DATABASE"] == "postgresql"

    /// Returns the location of a new, empty database, with its file in a folder. A database of PostgreSQL is not needed
    /// any more when the folder is removed.
    static func location(in folder: TemporaryDirectory) async throws -> DatabaseLocation {
        isServer ? try await migratedServer(for: folder) : .file(folder.file("latchd.db"))
    }

    /// Returns the location of a new, empty database in memory, or of one of PostgreSQL that is needed as long as a folder.
    static func temporary(for folder: TemporaryDirectory) async throws -> DatabaseLocation {
        isServer ? try await migratedServer(for: folder) : .memory
    }

    /// Returns the address of a new PostgreSQL database with the gateway's tables. Copying them is faster than creating
    /// them.
    private static func migratedServer(for folder: TemporaryDirectory) async throws -> DatabaseLocation {
        let template = try await MigratedTemplate.shared.name()
        let server = try await PostgreSQLServer.running()
        let address = try await server.createDatabase(from: template)
        folder.afterRemoval { server.dropLater(databaseAt: address) }
        return try location(at: address)
    }

    /// Returns the address of a new, empty PostgreSQL database.
    static func server() async throws -> DatabaseLocation {
        try await location(at: PostgreSQLServer.running().createDatabase())
    }

    /// Returns the location of a database of PostgreSQL. Its answers may take as long as on a slow machine.
    static func location(at address: String) throws -> DatabaseLocation {
        var address = try PostgreSQLAddress(address)
        address.answerTimeout = SuccessTimeout.duration
        return .server(address)
    }
}

/// A database with the gateway's tables, to which nobody is connected.
private actor MigratedTemplate {
    static let shared = MigratedTemplate()
    private var creation: Task<String, any Error>?

    func name() async throws -> String {
        let task =
            creation
            ?? Task {
                let address = try await PostgreSQLServer.running().createDatabase()
                try await TestDatabase.location(at: address).open().close()
                return PostgreSQLServer.name(ofDatabaseAt: address)
            }
        creation = task
        return try await task.value
    }
}

extension Trait where Self == ConditionTrait {
    /// The test concerns SQLite only.
    static var onlySQLite: Self { .disabled(if: TestDatabase.isServer) }
}
