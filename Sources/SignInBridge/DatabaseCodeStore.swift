package import Crypto
package import Database
package import FoundationEssentials
import GatewayCore
import Synchronization

/// A store of one-time codes in the gateway's database, which several gateways can share.
///
/// The clocks of the gateways may differ by a minute, so a record may live a minute longer than asked.
///
/// Each code costs two durable writes. Like the other stores it holds the SHA-256 of a code and a sealed record, so a
/// stolen database contains no usable code.
///
/// Source: OX-4, OX-15.
package final class DatabaseCodeStore: CodeStore {
    /// A table of records. Each has its own capacity.
    package enum Table: String, CaseIterable, Sendable {
        /// One-time codes, and sign-ins that apps began.
        case codes = "one_time_codes"
        /// The ids of signed statements with which clients have authenticated.
        case clientAssertions = "client_assertions"
        /// Proofs of possession that were used.
        case usedProofs = "used_proofs"
    }

    /// The maximum number of records that are deleted in one transaction.
    private static let batch = 1_000

    private let database: Database
    private let statements: DatabaseCodeStatements
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let insertions = Atomic<Int>(0)

    /// A minute.
    package var toleratedClockDifference: Duration { ClockDifference.tolerated }

    /// Creates a store on a database with the gateway's tables.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - table: The table of the records.
    ///   - capacity: The maximum number of records after ``sweep()``. The oldest are deleted. Between two sweeps a
    ///     sixteenth more may be stored.
    ///   - now: The clock that determines expiry.
    package init(
        database: Database, table: Table = .codes, capacity: Int = 16_384, now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        statements = DatabaseCodeStatements(table)
        self.capacity = capacity
        self.now = now
    }

    /// Stores a record; see ``CodeStore``.
    ///
    /// - Throws: ``GatewayError/Code/codeExists``; `DatabaseError`.
    package func save(
        _ record: [UInt8], under key: SHA256Digest, for lifetime: Duration, of owner: CodeOwner?
    ) async throws {
        let (now, statements) = (now(), statements)
        let inserted = try await database.write { connection in
            let inserted = try connection.run(
                statements.insert, key.bytes, record, now + lifetime, now - ClockDifference.tolerated)
            if inserted == 1, let shares = statements.shares {
                try connection.run(shares.record, now, owner?.key.bytes, key.bytes)
                if let owner { try connection.run(shares.trim, owner.key.bytes, key.bytes, CodeOwner.maximum - 1) }
            }
            return inserted
        }
        guard inserted == 1 else { throw GatewayError.codeExists }
        // Counting the records takes as long as reading them all, so it is not done for every record.
        if insertions.add(1, ordering: .relaxed).newValue.isMultiple(of: max(1, capacity / 16)) { await sweep() }
    }

    /// Returns a record and leaves it there; see ``CodeStore``.
    ///
    /// - Throws: `DatabaseError`.
    package func find(_ key: SHA256Digest) async throws -> [UInt8]? {
        let statements = statements
        let found = try await database.read { try $0.first(statements.find, key.bytes) }
        guard let found, now() < found.expires + ClockDifference.tolerated else { return nil }
        return found.record
    }

    /// Removes a record and returns it; see ``CodeStore``.
    ///
    /// - Throws: `DatabaseError`.
    package func consume(_ key: SHA256Digest) async throws -> [UInt8]? {
        let statements = statements
        // Most requests with an unknown code end here, without a write.
        guard try await database.read({ try $0.first(statements.exists, key.bytes) }) == true else { return nil }
        let taken = try await database.write { try $0.first(statements.delete, key.bytes) }
        guard let taken, now() < taken.expires + ClockDifference.tolerated else { return nil }
        return taken.record
    }

    /// Deletes expired records, and the oldest beyond the capacity. In the table of codes these are the ones that were
    /// stored first. A failure is ignored: the next sweep deletes them.
    package func sweep() async {
        let (now, capacity, statements) = (now() - ClockDifference.tolerated, capacity, statements)
        // In short transactions, because every other write waits for them.
        while let count = try? await database.write({ try $0.run(statements.deleteExpired, now, Self.batch) }),
            count == Self.batch
        {}
        // Counted by a reader, because counting takes as long as reading all.
        var excess = (try? await database.read { try $0.first(statements.count) }).map { $0 - capacity } ?? 0
        while excess > 0 {
            let size = min(excess, Self.batch)
            guard (try? await database.write { try $0.run(statements.trim, size) }) == size else { return }
            excess -= size
        }
    }
}

/// The SQL statements for one table.
struct DatabaseCodeStatements: Sendable {
    let insert: Statement<Void, [UInt8], [UInt8], Date, Date>
    let exists: Statement<Bool, [UInt8]>
    let find: Statement<(record: [UInt8], expires: Date), [UInt8]>
    let delete: Statement<(record: [UInt8], expires: Date), [UInt8]>
    let deleteExpired: Statement<Void, Date, Int>
    let count: Statement<Int>
    let trim: Statement<Void, Int>
    /// The statements for the shares of owners. Nil for a table without codes.
    let shares: (record: Statement<Void, Date, [UInt8]?, [UInt8]>, trim: Statement<Void, [UInt8], [UInt8], Int>)?

    init(_ table: DatabaseCodeStore.Table) {
        let name = table.rawValue
        insert = Statement(
            """
            INSERT INTO \(name) (digest, record, expires_at) VALUES (?1, ?2, ?3)
            ON CONFLICT (digest) DO UPDATE SET record = excluded.record, expires_at = excluded.expires_at
            WHERE \(name).expires_at <= ?4
            """, [UInt8].self, [UInt8].self, Date.self, Date.self)
        exists = Statement("SELECT EXISTS (SELECT 1 FROM \(name) WHERE digest = ?)", [UInt8].self) {
            row throws(DatabaseError) in try row.get(0) as Bool
        }
        find = Statement("SELECT record, expires_at FROM \(name) WHERE digest = ?", [UInt8].self) {
            row throws(DatabaseError) in (record: try row.get(0) as [UInt8], expires: try row.get(1) as Date)
        }
        delete = Statement("DELETE FROM \(name) WHERE digest = ? RETURNING record, expires_at", [UInt8].self) {
            row throws(DatabaseError) in (record: try row.get(0) as [UInt8], expires: try row.get(1) as Date)
        }
        deleteExpired = Statement(
            "DELETE FROM \(name) WHERE digest IN (SELECT digest FROM \(name) WHERE expires_at <= ? LIMIT ?)", Date.self,
            Int.self)
        count = Statement("SELECT count(*) FROM \(name)") { row throws(DatabaseError) in try row.get(0) as Int }
        trim = Statement(
            """
            DELETE FROM \(name) WHERE digest IN
                (SELECT digest FROM \(name) ORDER BY \(table == .codes ? "stored_at, " : "")expires_at LIMIT ?)
            """, Int.self)
        guard table == .codes else {
            shares = nil
            return
        }
        shares = (
            record: Statement(
                "UPDATE \(name) SET stored_at = ?, owner = ? WHERE digest = ?", Date.self, [UInt8]?.self, [UInt8].self),
            trim: Statement(
                """
                DELETE FROM \(name) WHERE digest IN (
                    SELECT digest FROM \(name) WHERE owner = ? AND digest <> ?
                    ORDER BY stored_at DESC, expires_at DESC LIMIT 1000000000 OFFSET ?)
                """, [UInt8].self, [UInt8].self, Int.self)
        )
    }
}
