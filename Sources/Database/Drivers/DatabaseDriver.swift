/// A kind of database behind ``Database``: it opens connections.
///
/// The module has the driver of SQLite. Another module may have the driver of a database server, so that programs that
/// do not use the server do not link its library.
package protocol DatabaseDriver: Sendable {
    /// The database as messages name it, quoted.
    var subject: String { get }
    /// The number of connections that read, each on its own thread. When it is 0, the writing connection also reads.
    var readerCount: Int { get }
    /// The number of connections for long reads, each on its own thread. When it is 0, long reads use the other reading
    /// connections.
    var longReaderCount: Int { get }
    /// Whether changes by others are reported by a connection of their own. When false, the writing connection reports
    /// them.
    var listens: Bool { get }
    /// How long a call may wait for a connection, except a long read. Nil for a database that always has its connections.
    var maximumWait: Duration? { get }
    /// How often the connections have waited for an answer of a server. 0 for a database without one.
    var roundTripCount: Int { get }

    /// Opens the connection that writes, and migrates the schema to the version of the last migration.
    ///
    /// - Throws: ``DatabaseError``. When a migration fails, the schema keeps its version.
    func openForWriting(_ migrations: [Migration]) throws(DatabaseError) -> Connection

    /// Returns the version of the schema. 0 for a database without tables. Changes nothing.
    ///
    /// - Throws: ``DatabaseError`` when the database belongs to another program.
    func schemaVersion() throws(DatabaseError) -> Int

    /// Opens a connection that only reads, after the writing connection was opened.
    func openForReading() throws(DatabaseError) -> Connection

    /// Opens the connection that is asked for ``DriverConnection/externalChanges()`` and nothing else.
    func openForListening() throws(DatabaseError) -> Connection
}

/// A connection of one driver. Only the thread that opened it uses it.
///
/// The functions that begin and end transactions are called in matching pairs. SQL of callers cannot do so while
/// ``allowsTransactionControl`` is false.
package protocol DriverConnection: AnyObject {
    /// The database as messages name it, quoted.
    var subject: String { get }
    /// Whether no transaction is open: none was begun, or the database has rolled it back.
    var isOutsideTransaction: Bool { get }
    /// Whether statements may begin, end and nest transactions. False while the body of a caller runs.
    var allowsTransactionControl: Bool { get set }
    /// The reason why the changes since ``beginNested()`` cannot be kept, although no error was thrown. Nil when they
    /// can.
    var nestedFailure: DatabaseError? { get }

    /// Returns the compiled form of a statement.
    func statement(_ text: SQLText) throws(DatabaseError) -> any DriverStatement
    /// Runs a script of any number of statements and discards their rows.
    func execute(_ script: String) throws(DatabaseError)

    /// Begins a transaction that excludes all others that write. Waits for them, and throws
    /// ``DatabaseError/Code/locked`` after a time that the driver determines. If `outlivesPowerLoss`, the commit must be
    /// on the disk before ``commit()`` returns.
    func beginWriting(outlivesPowerLoss: Bool) throws(DatabaseError)
    /// Commits the transaction. On failure, the whole transaction is rolled back.
    func commit() throws(DatabaseError)
    /// Rolls back the open transaction, if there is one.
    func rollback()
    /// Begins a transaction that sees one snapshot and refuses writes.
    func beginReading() throws(DatabaseError)
    /// Ends the transaction that ``beginReading()`` began.
    func endReading() throws(DatabaseError)

    /// Begins a part of the transaction that can be undone on its own.
    func beginNested() throws(DatabaseError)
    /// Ends the part and keeps its changes.
    func keepNested() throws(DatabaseError)
    /// Ends the part and undoes its changes.
    func undoNested() throws(DatabaseError)

    /// Returns the changes by others since the last call that returned. The first call reports those since the
    /// connection was opened.
    ///
    /// - Throws: ``DatabaseError`` when the database does not answer. The next call that returns then reports
    ///   ``ExternalChanges/isComplete`` as false.
    func externalChanges() throws(DatabaseError) -> ExternalChanges
    /// Does the work that follows a commit, after its callers were resumed.
    func maintainAfterCommit()
    /// Prepares a backup of the file alone; see ``Database/checkpoint()``.
    func checkpoint() throws(DatabaseError) -> Bool
    /// Returns the columns of a table in their order. Empty when there is no such table.
    func columns(of table: String) throws(DatabaseError) -> [TableColumn]
    /// Opens a cursor for a query, and returns the statement that returns its next rows, or none at the end. Nil when
    /// the query itself returns its rows one by one.
    func cursor(of query: String) throws(DatabaseError) -> SQLText?
    /// Whether numbers of new rows come from sequences, which do not notice rows with given numbers.
    var hasSequences: Bool { get }
    /// Closes the cursor.
    func closeCursor() throws(DatabaseError)
    /// Returns the name of a table with a row that refers to a missing row. Nil when there is none, or when the
    /// database has checked every reference already.
    func danglingReference() throws(DatabaseError) -> String?
}
