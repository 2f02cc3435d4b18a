/// A connection inside a transaction, passed to the body of ``Database/read(_:)`` or ``Database/write(_:)``.
///
/// It stays on its thread and is not Sendable. The database begins and ends the transaction. SQL in a body that tries
/// to do so (`BEGIN`, `COMMIT`, `SAVEPOINT`), or `ATTACH`, is refused as ``DatabaseError/Code/misuse``.
package final class Connection {
    let handle: Handle
    private var cache = StatementCache()
    /// Whether a caller's body is running, which requires an open transaction.
    private var isLent = false
    /// The reason why SQLite rolled back the whole transaction during a body. Nil when it did not.
    private(set) var breakage: DatabaseError?
    /// The result of the last `PRAGMA data_version`.
    var dataVersion: Int64 = 0

    init(_ handle: Handle) {
        self.handle = handle
    }

    /// Returns all rows of a statement, in the order of the statement.
    package func all<Row, each Parameter: SQLBindable>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws(DatabaseError) -> [Row] {
        let prepared = try begin(statement.text)
        defer { prepared.reset() }
        try bind(prepared, repeat each values)
        var rows: [Row] = []
        while try step(prepared) {
            rows.append(try statement.row(SQLRow(statement: prepared)))
        }
        return rows
    }

    /// Returns the first row of a statement, or nil when there is none.
    ///
    /// A statement that changes something still runs to completion.
    package func first<Row, each Parameter: SQLBindable>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws(DatabaseError) -> Row? {
        let prepared = try begin(statement.text)
        defer { prepared.reset() }
        try bind(prepared, repeat each values)
        guard try step(prepared) else { return nil }
        let row = try statement.row(SQLRow(statement: prepared))
        if !prepared.isReadOnly {
            while try step(prepared) {}
        }
        return row
    }

    /// Runs a statement and discards its rows.
    ///
    /// - Returns: The number of rows that the statement itself inserted, updated or deleted, without those changed by
    ///   triggers and cascades.
    ///
    /// Source: `sqlite3_changes64`.
    @discardableResult
    package func run<Row, each Parameter: SQLBindable>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws(DatabaseError) -> Int {
        let prepared = try begin(statement.text)
        defer { prepared.reset() }
        try bind(prepared, repeat each values)
        let before = handle.totalChanges
        while try step(prepared) {}
        // sqlite3_changes64 keeps its value across statements that change no rows.
        return handle.totalChanges == before ? 0 : Int(handle.changes)
    }

    /// The `rowid` of the row that this connection inserted last. It has no meaning in a body that inserted none.
    package var lastInsertedRow: Int64 { handle.lastInsertedRow }
}

@available(*, unavailable)
extension Connection: Sendable {}

extension Connection {
    /// Runs a caller's body. Meanwhile transaction control is refused, and a rollback of the transaction by SQLite is
    /// detected.
    func perform(_ call: any PendingCall) -> (any Error)? {
        isLent = true
        breakage = nil
        handle.allowsTransactionControl = false
        defer {
            isLent = false
            handle.allowsTransactionControl = true
        }
        return call.perform(on: self)
    }

    private func begin(_ text: SQLText) throws(DatabaseError) -> PreparedStatement {
        // After a rollback by SQLite, each further statement would commit on its own.
        if isLent, handle.isOutsideTransaction { throw recordFailure(by: nil) }
        return try cache.prepared(text, on: handle)
    }

    private func bind<each Parameter: SQLBindable>(
        _ prepared: PreparedStatement, _ values: repeat each Parameter
    ) throws(DatabaseError) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            try value.bind(to: SQLSlot(statement: prepared, index: index))
        }
    }

    private func step(_ prepared: PreparedStatement) throws(DatabaseError) -> Bool {
        do throws(DatabaseError) {
            return try prepared.step()
        } catch {
            if isLent, handle.isOutsideTransaction { recordFailure(by: error) }
            throw error
        }
    }

    @discardableResult
    private func recordFailure(by error: DatabaseError?) -> DatabaseError {
        let first =
            breakage ?? error
            ?? DatabaseError(.other, "Could not write to \(handle.subject): its transaction was rolled back.")
        breakage = first
        return first
    }
}
