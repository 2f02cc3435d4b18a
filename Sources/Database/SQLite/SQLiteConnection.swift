/// A connection to an SQLite file, as the driver's part of a ``Connection``.
///
/// Source: SQLite, "Transaction"; "Savepoints"; "Pragma Statements": `query_only`, `synchronous`, `data_version`.
final class SQLiteConnection: DriverConnection {
    /// The number of pages in the log from which the log is copied into the file. The same as SQLite's default.
    private static let checkpointPages = 1000

    // A read lock that becomes a write lock later can fail immediately, without waiting for other writers.
    private static let beginWriting = SQLText("BEGIN IMMEDIATE")
    private static let beginReading = SQLText("BEGIN")
    private static let commit = SQLText("COMMIT")
    private static let rollback = SQLText("ROLLBACK")
    private static let enterBody = SQLText("SAVEPOINT body")
    private static let keepBody = SQLText("RELEASE body")
    private static let undoBody = SQLText("ROLLBACK TO body")
    private static let queryOnly = SQLText("PRAGMA query_only = ON")
    private static let queryAndWrite = SQLText("PRAGMA query_only = OFF")
    private static let dataVersion = SQLText("PRAGMA data_version")

    let handle: Handle
    private var cache = StatementCache()
    /// Whether the connection has refused writes since it was opened.
    private let isReader: Bool
    /// Whether commits are flushed to the disk: as configured, and now.
    private let flushesCommits: Bool
    private var flushesNow: Bool
    /// The result of the last `PRAGMA data_version`.
    private var lastDataVersion: Int64 = 0

    init(_ handle: Handle, isReader: Bool, flushesCommits: Bool) {
        self.handle = handle
        self.isReader = isReader
        self.flushesCommits = flushesCommits
        flushesNow = flushesCommits
    }

    var subject: String { handle.subject }
    var isOutsideTransaction: Bool { handle.isOutsideTransaction }

    var allowsTransactionControl: Bool {
        get { handle.allowsTransactionControl }
        set { handle.allowsTransactionControl = newValue }
    }

    /// Checked after each body, because at COMMIT the violation would fail the whole group.
    var nestedFailure: DatabaseError? {
        guard handle.hasDeferredViolations else { return nil }
        return DatabaseError(
            .constraint(.foreignKey),
            "Could not write to \(subject): FOREIGN KEY constraint failed at the end of the write.")
    }

    func statement(_ text: SQLText) throws(DatabaseError) -> any DriverStatement {
        try cache.prepared(text, on: handle)
    }

    func execute(_ script: String) throws(DatabaseError) {
        try handle.execute(script, operation: .write)
    }

    /// SQLite itself waits for the lock, up to the busy timeout, but fails immediately where waiting might cause a
    /// deadlock. This function retries until the same timeout.
    func beginWriting(outlivesPowerLoss: Bool) throws(DatabaseError) {
        let deadline = ContinuousClock.now + handle.busyTimeout
        try flushCommits(outlivesPowerLoss && flushesCommits)
        try checkPlace(.write)
        try handle.retryingWhileLocked(until: deadline) { () throws(DatabaseError) in try run(Self.beginWriting) }
    }

    func commit() throws(DatabaseError) {
        do throws(DatabaseError) {
            try run(Self.commit)
        } catch {
            // A COMMIT that fails with SQLITE_BUSY leaves the transaction open.
            rollback()
            throw error
        }
    }

    func rollback() {
        guard !handle.isOutsideTransaction else { return }
        // A rollback that reports an error has ended the transaction nevertheless.
        _ = try? run(Self.rollback)
    }

    func beginReading() throws(DatabaseError) {
        try checkPlace(.read)
        if !isReader { try refuseWrites(true) }
        do throws(DatabaseError) {
            try run(Self.beginReading)
        } catch {
            if !isReader { try refuseWrites(false) }
            throw error
        }
    }

    func endReading() throws(DatabaseError) {
        rollback()
        if !isReader { try refuseWrites(false) }
    }

    func beginNested() throws(DatabaseError) { try run(Self.enterBody) }

    func keepNested() throws(DatabaseError) { try run(Self.keepBody) }

    /// ROLLBACK TO undoes the changes but keeps the savepoint, so it is released as well.
    func undoNested() throws(DatabaseError) {
        try run(Self.undoBody)
        try run(Self.keepBody)
    }

    func externalChanges() throws(DatabaseError) -> ExternalChanges {
        let statement = try cache.prepared(Self.dataVersion, on: handle)
        defer { statement.reset() }
        let version = try statement.step() ? statement.int64(0) : 0
        defer { lastDataVersion = version }
        return ExternalChanges(isComplete: version == lastDataVersion)
    }

    /// Copies a long log into the file.
    func maintainAfterCommit() {
        guard handle.logPages >= Self.checkpointPages else { return }
        handle.logPages = 0
        // When the checkpoint fails, the data stays in the log, where it is just as safe. The next commit tries again.
        _ = try? handle.checkpoint(truncating: false)
    }

    func checkpoint() throws(DatabaseError) -> Bool {
        let timeout = handle.busyTimeout
        handle.busyTimeout = .zero
        defer { handle.busyTimeout = timeout }
        return try handle.checkpoint(truncating: true)
    }

    func danglingReference() throws(DatabaseError) -> String? {
        let statement = try cache.prepared(
            SQLText("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1"), on: handle)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) ?? "?" : nil
    }

    func columns(of table: String) throws(DatabaseError) -> [TableColumn] {
        let statement = try cache.prepared(
            SQLText("SELECT name, type FROM pragma_table_info(?)", parameters: [.text]), on: handle)
        defer { statement.reset() }
        try statement.bind(text: table, 1)
        var columns: [TableColumn] = []
        while try statement.step() {
            columns.append(TableColumn(statement.text(0) ?? "?", StorageClass(ofColumn: statement.text(1))))
        }
        return columns
    }

    func cursor(of query: String) -> SQLText? { nil }
    func closeCursor() {}
    var hasSequences: Bool { false }

    /// Sets whether commits are flushed to the disk.
    ///
    /// Mixing both kinds of commits is safe: in the log, a later commit never survives a power failure that an earlier
    /// commit does not.
    ///
    /// Source: SQLite, "Pragma Statements": `synchronous`, NORMAL in WAL mode.
    private func flushCommits(_ flushes: Bool) throws(DatabaseError) {
        guard flushes != flushesNow else { return }
        try handle.execute("PRAGMA synchronous = \(flushes ? "FULL" : "NORMAL")", operation: .write)
        flushesNow = flushes
    }

    private func refuseWrites(_ refuse: Bool) throws(DatabaseError) {
        try run(refuse ? Self.queryOnly : Self.queryAndWrite)
        handle.refusesWrites = refuse
    }

    private func run(_ text: SQLText) throws(DatabaseError) {
        let statement = try cache.prepared(text, on: handle)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// Throws when the file was moved, deleted or replaced. Without this check, writes to such a file would succeed and
    /// then be lost.
    private func checkPlace(_ operation: DatabaseError.Action) throws(DatabaseError) {
        if handle.hasMoved {
            throw .sqlite(.moved, operation: operation, subject: subject)
        }
    }
}
