import Database
import LatchKit

/// The accounts database with the tables of this module. The first use creates or migrates them.
struct DownloadDatabase: Sendable {
    private let database: Database
    private let accounts: AccountStore

    init(_ latch: LatchClient) { (database, accounts) = (latch.accounts.database, latch.accounts) }

    /// Reports a change by this program to its own watchers of the database.
    func reportChange() async { await accounts.reportDatabaseChange() }

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
