/// A connection inside a transaction, passed to the body of ``Database/read(_:)`` or ``Database/write(_:)``.
///
/// It stays on its thread and is not Sendable. The database begins and ends the transaction. SQL in a body that tries
/// to do so (`BEGIN`, `COMMIT`, `SAVEPOINT`), or `ATTACH`, is refused as ``DatabaseError/Code/misuse``. After a
/// statement that failed, a body must throw: some databases refuse the statements after it.
package final class Connection {
    /// The connection of the driver.
    package let driver: any DriverConnection
    /// Whether a caller's body is running, which requires an open transaction.
    private var isLent = false
    /// The reason why the database rolled back the whole transaction during a body. Nil when it did not.
    private(set) var breakage: DatabaseError?

    /// Creates a connection from the one of a driver.
    package init(_ driver: any DriverConnection) {
        self.driver = driver
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
        try watching { () throws(DatabaseError) in try prepared.completeChanges() }
        return row
    }

    /// Runs a statement once for each set of values, in their order, and returns the first row of each execution, or
    /// nil when it has none. All executions together need one round trip to a server.
    package func firsts<Row, each Parameter: SQLBindable>(
        _ statement: Statement<Row, repeat each Parameter>, _ sets: [(repeat each Parameter)]
    ) throws(DatabaseError) -> [Row?] {
        let prepared = try begin(statement.text)
        var rows: [Row?] = []
        guard prepared.canQueue else {
            for set in sets { rows.append(try first(statement, repeat each set)) }
            return rows
        }
        defer { prepared.reset() }
        for set in sets {
            try bind(prepared, repeat each set)
            try watching { () throws(DatabaseError) in try prepared.queue() }
        }
        for _ in sets {
            try watching { () throws(DatabaseError) in try prepared.takeQueued() }
            rows.append(try prepared.step() ? try statement.row(SQLRow(statement: prepared)) : nil)
        }
        return rows
    }

    /// Runs a statement and discards its rows.
    ///
    /// - Returns: The number of rows that the statement itself inserted, updated or deleted, without those changed by
    ///   triggers and cascades.
    ///
    /// Source: `sqlite3_changes64`; PostgreSQL, `PQcmdTuples`.
    @discardableResult
    package func run<Row, each Parameter: SQLBindable>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws(DatabaseError) -> Int {
        let prepared = try begin(statement.text)
        defer { prepared.reset() }
        try bind(prepared, repeat each values)
        return try watching { () throws(DatabaseError) in try prepared.runToEnd() }
    }
}

@available(*, unavailable)
extension Connection: Sendable {}

extension Connection {
    /// Runs a caller's body. Meanwhile transaction control is refused, and a rollback of the transaction by the
    /// database is detected.
    func perform(_ call: any PendingCall) -> (any Error)? {
        isLent = true
        breakage = nil
        driver.allowsTransactionControl = false
        defer {
            isLent = false
            driver.allowsTransactionControl = true
        }
        return call.perform(on: self)
    }

    func begin(_ text: SQLText) throws(DatabaseError) -> any DriverStatement {
        // After a rollback by the database, each further statement would commit on its own.
        if isLent, driver.isOutsideTransaction { throw recordFailure(by: nil) }
        return try driver.statement(text)
    }

    private func bind<each Parameter: SQLBindable>(
        _ prepared: any DriverStatement, _ values: repeat each Parameter
    ) throws(DatabaseError) {
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            try value.bind(to: SQLSlot(statement: prepared, index: index))
        }
    }

    private func step(_ prepared: any DriverStatement) throws(DatabaseError) -> Bool {
        try watching { () throws(DatabaseError) in try prepared.step() }
    }

    private func watching<Value>(_ step: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        do throws(DatabaseError) {
            return try step()
        } catch {
            if isLent, driver.isOutsideTransaction { recordFailure(by: error) }
            throw error
        }
    }

    @discardableResult
    private func recordFailure(by error: DatabaseError?) -> DatabaseError {
        let first =
            breakage ?? error
            ?? .rolledBack(driver.subject)
        breakage = first
        return first
    }
}
