internal import CSQLite
import Primitives

/// One open SQLite connection: the only owner of the pointer, closed when it goes.
///
/// Used by one thread only, the one that opened it; hence no mutex inside SQLite either (`SQLITE_OPEN_NOMUTEX`).
///
/// Source: `sqlite3_open_v2`, `sqlite3_set_authorizer`, `sqlite3_wal_hook`.
final class Handle {
    let pointer: OpaquePointer
    /// The file as messages name it, quoted.
    let subject: String
    /// Pages in the write-ahead log after this connection's last commit.
    var logPages = 0
    /// How long to wait for another program's lock.
    var busyTimeout = Duration.zero
    private var busySince = ContinuousClock.now
    /// While true, statements may begin, end and nest transactions; bodies of callers may not.
    var allowsTransactionControl = true
    /// Whether the connection reads only because this module wants it so; then a write is the program's mistake.
    var refusesWrites = false

    /// SQLite's own count of its memory is asked for by nobody, and takes a lock at every allocation; set before the first use.
    ///
    /// Source: SQLite, "Configuration Options": `SQLITE_CONFIG_MEMSTATUS`.
    private static let isSetUp = latch_sqlite3_config_flag(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK

    init(path: String?, subject: String) throws(DatabaseError) {
        _ = Self.isSetUp
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let result =
            path.map { sqlite3_open_v2($0, &opened, flags, nil) }
            ?? sqlite3_open_v2(":memory:", &opened, flags | SQLITE_OPEN_CREATE, nil)
        guard let opened else {
            throw DatabaseError(.other, "Could not open \(subject): there is no memory left.")
        }
        pointer = opened
        self.subject = subject
        guard result == SQLITE_OK else { throw failure(result, .open) }
        harden()
    }

    deinit {
        // v2: a statement still held somewhere keeps the connection until it goes, too.
        sqlite3_close_v2(pointer)
    }

    /// Refuses what a damaged or hostile schema could make of us, and transaction control in callers' SQL.
    private func harden() {
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        ] {
            _ = latch_sqlite3_db_config_flag(pointer, option, Int32(value))
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_set_authorizer(pointer, authorize, context)
        // Takes the place of SQLite's own checkpoint inside COMMIT, for which callers would have to wait.
        sqlite3_wal_hook(pointer, noteLog, context)
        sqlite3_busy_handler(pointer, beBusy, context)
    }

    /// Whether the file can only be read, though it was opened for both.
    var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// Whether no transaction is open: none was begun, or SQLite has rolled it back by itself.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(pointer) != 0 }

    /// Whether the open transaction owes a row to a deferred foreign key.
    var hasDeferredViolations: Bool {
        var current: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return current != 0
    }

    /// Whether the path leads to another file by now, or to none. One `stat(2)`.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let result = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return result == SQLITE_OK && moved != 0
    }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(pointer) }
    var totalChanges: Int64 { sqlite3_total_changes64(pointer) }
    var changes: Int64 { sqlite3_changes64(pointer) }

    /// Waits a little for a lock that was asked for `attempts` times before; false when it took too long.
    ///
    /// SQLite's own handler sleeps up to 100 ms, in which a busy neighbour lets the lock go and takes it again many
    /// times; a short sleep, the length of one flushed commit, finds the gap.
    fileprivate func waitForLock(attempts: Int32) -> Bool {
        if attempts == 0 { busySince = .now }
        guard busySince.duration(to: .now) < busyTimeout else { return false }
        // No event tells when another program lets a lock of SQLite's go; only the database's own thread waits here.
        SystemThread.sleep(.milliseconds(1))
        return true
    }

    /// Runs a script of any number of statements; rows are dropped.
    func execute(_ script: String, act: DatabaseError.Act) throws(DatabaseError) {
        let result = sqlite3_exec(pointer, script, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result, act) }
    }

    /// Runs `body` while SQL may not begin or end transactions.
    func withoutTransactionControl(_ body: (Handle) throws(DatabaseError) -> Void) throws(DatabaseError) {
        allowsTransactionControl = false
        defer { allowsTransactionControl = true }
        try body(self)
    }

    /// Moves the log into the file; `truncating` also cuts it to nothing, which needs that nobody else reads.
    ///
    /// Gives whether all of it went; false when somebody was in the way.
    func checkpoint(truncating: Bool) throws(DatabaseError) -> Bool {
        var inLog: Int32 = 0
        var moved: Int32 = 0
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let result = sqlite3_wal_checkpoint_v2(pointer, "main", mode, &inLog, &moved)
        if result & 0xFF == SQLITE_BUSY { return false }
        guard result == SQLITE_OK else { throw failure(result, .write) }
        return inLog == moved
    }

    /// The error for a result code that this connection has just given.
    func failure(_ result: Int32, _ act: DatabaseError.Act) -> DatabaseError {
        let text = String(cString: sqlite3_errmsg(pointer))
        if refusesWrites, result == SQLITE_READONLY {
            return DatabaseError(
                .misuse,
                "Could not write to \(subject): a read may not write, use Database.write; "
                    + "this is a mistake in the program.", cause: SQLiteFailure(resultCode: result, text: text))
        }
        let system = [SQLITE_CANTOPEN, SQLITE_IOERR].contains(result & 0xFF) ? sqlite3_system_errno(pointer) : 0
        return .sqlite(
            SQLiteFailure(resultCode: result, text: text), act: act, subject: subject,
            systemError: system == 0 ? nil : SystemError(number: system))
    }
}

/// Denies transaction control and other files to SQL that is not this module's own. Asked at prepare time only.
private func authorize(
    context: UnsafeMutableRawPointer?, action: Int32, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    switch action {
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH:
        guard let context else { return SQLITE_DENY }
        let handle = Unmanaged<Handle>.fromOpaque(context).takeUnretainedValue()
        return handle.allowsTransactionControl ? SQLITE_OK : SQLITE_DENY
    default:
        return SQLITE_OK
    }
}

private func noteLog(
    context: UnsafeMutableRawPointer?, _: OpaquePointer?, _: UnsafePointer<CChar>?, pages: Int32
) -> Int32 {
    if let context {
        Unmanaged<Handle>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
    }
    return SQLITE_OK
}

private func beBusy(context: UnsafeMutableRawPointer?, attempts: Int32) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<Handle>.fromOpaque(context).takeUnretainedValue().waitForLock(attempts: attempts) ? 1 : 0
}
