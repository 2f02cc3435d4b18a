import Database
import LatchKit

/// The accounts database with the tables of this module. The first use creates or migrates them.
struct DownloadDatabase: Sendable {
    private let database: Database
    private let accounts: AccountStore

    init(_ latch: LatchClient) { (database, accounts) = (latch.accounts.database, latch.accounts) }

    /// Changes the database durably, and reports it to this program's own watchers.
    func change<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        let value = try await write(body)
        await accounts.reportDatabaseChange()
        return value
    }

    /// The path of the file. Nil for a database in memory.
    var path: String? { database.path }

    /// Reads from one snapshot; see ``Database/read(_:)``.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        try await database.migrate(DownloadSchema.schema)
        return try await database.read(body)
    }

    /// Changes the database; see ``Database/write(outlivesPowerLoss:_:)``.
    func write<Value: Sendable>(
        outlivesPowerLoss: Bool = true, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await database.migrate(DownloadSchema.schema)
        return try await database.write(outlivesPowerLoss: outlivesPowerLoss, body)
    }
}
