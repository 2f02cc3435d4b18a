package import Database
import Dispatch
import Synchronization

/// Copies all tables of a gateway from one database to another, of the same kind or another one.
///
/// The source is read in one snapshot, so a gateway may write to it meanwhile. The target is written in one
/// transaction, so after a crash it is empty, and the copy can be repeated. Before the transaction is committed, every
/// table of the target is read again and compared with the source by the number of its rows and its ``TableDigest``.
package struct DatabaseCopy: Sendable {
    /// The tables, in an order in which triggers of one do not change those before it.
    package static let tables = [
        "people", "identities", "unlinked_identities", "pins", "sessions", "provider_sign_outs", "one_time_codes",
        "signing_keys", "api_keys", "asset_folders", "assets", "asset_changes", "asset_months", "attempt_counters",
        "attempts_in_progress", "key_checks", "clients", "client_consents", "client_sessions", "access_tokens",
        "pending_requests", "device_requests", "client_assertions", "client_sign_outs", "used_proofs",
        "bans", "known_addresses", "provider_trust",
    ]
    /// The tables with a `rowid`, whose order matters.
    private static let numbered: Set = ["sessions", "api_keys", "assets"]
    /// The columns that a server numbers.
    private static let sequences = [
        ("sessions", "rowid"), ("api_keys", "rowid"), ("assets", "rowid"), ("unlinked_identities", "id"),
        ("asset_changes", "number"),
    ]

    /// The rows of one table.
    package struct Table: Sendable, Equatable {
        /// The name of the table.
        package let name: String
        /// The number of rows.
        package let count: Int
    }

    /// What a copy did.
    package enum Outcome: Sendable {
        /// The tables were copied.
        case copied([Table])
        /// The target already had the same rows.
        case wasComplete([Table])

        /// All tables of the source.
        package var tables: [Table] {
            switch self {
            case .copied(let tables), .wasComplete(let tables): tables
            }
        }
    }

    /// How far a copy is.
    package struct Progress: Sendable, Equatable {
        /// What is done with a table.
        package enum Step: Sendable { case copying, comparing }

        /// What is done with the table.
        package let step: Step
        /// The name of the table.
        package let table: String
        /// The number of its rows with which it was done.
        package let rows: Int
    }

    private let act: String
    private let isCancelled = Flag()
    private let onProgress: @Sendable (Progress) -> Void
    /// The number of rows after which the progress is reported while tables are compared.
    private static let comparedRows = 10_000

    private enum Message: Sendable {
        case rows(table: Int, [[SQLValue]])
        case finished([TableDigest])
        case failed(any Error)
    }

    /// Copies the tables. When the task is cancelled, nothing is written.
    ///
    /// - Parameters:
    ///   - source: The database to read.
    ///   - target: The database to write. Its tables must exist, and be empty or have the same rows already.
    ///   - act: What is done, for messages: a verb and its object.
    ///   - onProgress: Called on threads of both databases, at the beginning of each table and from time to time.
    /// - Returns: What was done.
    /// - Throws: `DatabaseError`; `CancellationError`; ``GatewayError/Code/database`` when the target has other rows,
    ///   or
    ///   when a table is not the same after the copy. The target is then unchanged.
    package static func run(
        from source: Database, to target: Database, act: String = "copy the database",
        onProgress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> Outcome {
        let copy = DatabaseCopy(act: act, onProgress: onProgress)
        return try await withTaskCancellationHandler {
            try await copy.run(from: source, to: target)
        } onCancel: {
            copy.isCancelled.raise()
        }
    }

    private func run(from source: Database, to target: Database) async throws -> Outcome {
        let existing = try await target.read { try digests($0) }
        guard existing.allSatisfy({ $0.count == 0 }) else {
            let wanted = try await source.read { try digests($0) }
            guard wanted == existing else { throw targetNotEmptyError }
            return .wasComplete(Self.tables(wanted))
        }
        let channel = Channel<Message>()
        async let sent: Void = source.read { send($0, to: channel) }
        do {
            let copied = try await target.write { try receive(from: channel, into: $0) }
            try await sent
            return .copied(Self.tables(copied))
        } catch {
            channel.close()
            _ = try? await sent
            throw error
        }
    }

    private var targetNotEmptyError: GatewayError {
        GatewayError(
            .database,
            "Could not \(act): the database to write already has other rows, such as people or sessions; use a new "
                + "one, and check that no gateway uses it meanwhile.")
    }

    private static func tables(_ digests: [TableDigest]) -> [Table] {
        zip(tables, digests).map { Table(name: $0, count: $1.count) }
    }

    /// Returns the digest of each table.
    private func digests(_ connection: Connection) throws -> [TableDigest] {
        try Self.tables.map { table in
            onProgress(Progress(step: .comparing, table: table, rows: 0))
            var digest = TableDigest()
            try connection.forEachRow(of: Self.query(table, try Self.columns(of: table, connection))) { row in
                if isCancelled.isRaised { throw CancellationError() }
                digest.add(row)
                if digest.count.isMultiple(of: Self.comparedRows) {
                    onProgress(Progress(step: .comparing, table: table, rows: digest.count))
                }
            }
            return digest
        }
    }

    /// Returns the columns in an order that is the same in all databases.
    private static func columns(of table: String, _ connection: Connection) throws(DatabaseError) -> [TableColumn] {
        var columns = try connection.columns(of: table)
        if numbered.contains(table), !columns.contains(where: { $0.name == "rowid" }) {
            columns.append(TableColumn("rowid", .integer))
        }
        return columns.sorted { $0.name < $1.name }
    }

    private static func query(_ table: String, _ columns: [TableColumn]) -> String {
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        // Triggers and the order of numbered rows need the changes in ascending order.
        return "SELECT \(names) FROM \"\(table)\"" + (table == "asset_changes" ? " ORDER BY number" : "")
    }

    /// Sends all rows and then the digests of the tables. Stops when the channel is closed.
    private func send(_ connection: Connection, to channel: Channel<Message>) {
        do {
            var digests: [TableDigest] = []
            for (index, table) in Self.tables.enumerated() {
                onProgress(Progress(step: .copying, table: table, rows: 0))
                var digest = TableDigest()
                var batch: [[SQLValue]] = []
                try connection.forEachRow(of: Self.query(table, try Self.columns(of: table, connection))) { row in
                    if isCancelled.isRaised { throw CancellationError() }
                    digest.add(row)
                    batch.append(row)
                    guard batch.count >= 1_000 else { return }
                    try channel.send(.rows(table: index, batch))
                    onProgress(Progress(step: .copying, table: table, rows: digest.count))
                    batch = []
                }
                if !batch.isEmpty {
                    try channel.send(.rows(table: index, batch))
                    onProgress(Progress(step: .copying, table: table, rows: digest.count))
                }
                digests.append(digest)
            }
            try channel.send(.finished(digests))
        } catch {
            try? channel.send(.failed(error))
        }
    }

    private func receive(from channel: Channel<Message>, into connection: Connection) throws -> [TableDigest] {
        // Checked again, because another program may have written since the first check, and now none can.
        guard try digests(connection).allSatisfy({ $0.count == 0 }) else { throw targetNotEmptyError }
        let tables = Self.tables
        let insertions = try tables.map { TableInsertion(into: $0, try Self.columns(of: $0, connection)) }
        var emptied = -1
        while let message = channel.receive() {
            switch message {
            case .rows(let table, let rows):
                // Triggers on the tables before it may have filled it.
                while emptied < table {
                    emptied += 1
                    try connection.run(Statement("DELETE FROM \"\(tables[emptied])\""))
                }
                try connection.insert(rows, with: insertions[table])
            case .failed(let error): throw error
            case .finished(let wanted):
                for table in (emptied + 1)..<max(tables.count, emptied + 1) {
                    try connection.run(Statement("DELETE FROM \"\(tables[table])\""))
                }
                try Self.continueSequences(connection)
                try compare(try digests(connection), wanted)
                return wanted
            }
        }
        throw GatewayError(.database, "Could not \(act): the database to read was closed; try again.")
    }

    private func compare(_ found: [TableDigest], _ wanted: [TableDigest]) throws(GatewayError) {
        for (table, (found, wanted)) in zip(Self.tables, zip(found, wanted)) where found != wanted {
            throw GatewayError(
                .database,
                "Could not \(act): the table '\(table)' has \(wanted.count) rows to read and \(found.count) that were "
                    + "written, or a value was changed; nothing was kept. If the database to write is of PostgreSQL, "
                    + "remove NUL characters from names of people and devices, which it cannot store; otherwise report "
                    + "a bug.")
        }
    }

    /// Makes a server number new rows after the copied ones. SQLite does so by itself.
    private static func continueSequences(_ connection: Connection) throws(DatabaseError) {
        guard connection.driver.hasSequences else { return }
        for (table, column) in sequences {
            let statement = Statement(
                "SELECT setval(pg_get_serial_sequence('\(table)', '\(column)'), "
                    + "(SELECT coalesce(max(\"\(column)\"), 0) + 1 FROM \"\(table)\"), FALSE)")
            try connection.run(statement)
        }
    }
}

/// A queue between two threads that holds a few elements. Sending blocks while it is full.
private final class Channel<Element: Sendable>: Sendable {
    struct Closed: Error {}

    private struct State {
        var elements: [Element] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let free = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)

    init() {
        // Not the initial value, because a semaphore must not be freed below that.
        for _ in 0..<4 { free.signal() }
    }

    func send(_ element: Element) throws(Closed) {
        free.wait()
        let isClosed = state.withLock { state in
            if !state.isClosed { state.elements.append(element) }
            return state.isClosed
        }
        guard !isClosed else {
            free.signal()
            throw Closed()
        }
        filled.signal()
    }

    /// Waits for an element. Nil when the channel is closed.
    func receive() -> Element? {
        filled.wait()
        let element = state.withLock { $0.elements.isEmpty ? nil : $0.elements.removeFirst() }
        if element == nil { filled.signal() } else { free.signal() }
        return element
    }

    func close() {
        state.withLock { $0.isClosed = true }
        free.signal()
        filled.signal()
    }
}
