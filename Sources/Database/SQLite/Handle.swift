internal import CSQLite
import Primitives

/// One open SQLite connection. It is the only owner of the pointer, and closes the connection when it is deallocated.
///
/// Only the thread that opened it uses it. SQLite therefore needs no mutex (`SQLITE_OPEN_NOMUTEX`).
///
/// Source: `sqlite3_open_v2`, `sqlite3_set_authorizer`, `sqlite3_wal_hook`.
final class Handle {
    let pointer: OpaquePointer
    /// The file as messages name it, quoted.
    let subject: String
    /// The number of pages in the write-ahead log after this connection's last commit.
    var logPages = 0
    /// How long to wait for another program's lock.
    var busyTimeout = Duration.zero
    private var busySince = ContinuousClock.now
    /// Whether statements may begin, end and nest transactions. False while the body of a caller runs.
    var allowsTransactionControl = true
    /// Whether this module, not the file, makes the connection read-only. A write is then a programming error.
    var refusesWrites = false

    /// Turns off SQLite's memory statistics, which are not used and take a lock at every allocation. Must run before
    /// the first use of SQLite.
    ///
    /// Source: SQLite, "Configuration Options": `SQLITE_CONFIG_MEMSTATUS`.
    private static let isSetUp = latch_sqlite3_config_flag(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK

    init(path: String?, subject: String) throws(DatabaseError) {
        _ = Self.isSetUp
        // Without CREATE, because only DatabaseFile creates the file, with its mode.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let result =
            path.map { sqlite3_open_v2($0, &opened, flags, nil) }
            ?? sqlite3_open_v2(":memory:", &opened, flags | SQLITE_OPEN_CREATE, nil)
        guard let opened else {
            throw DatabaseError(.other, "Could not open \(subject): there is not enough memory.")
        }
        pointer = opened
        self.subject = subject
        // SQLite requires that the connection is closed after a failure too, which deinit does.
        guard result == SQLITE_OK else { throw failure(result, .open) }
        harden()
    }

    deinit {
        // v2: the connection stays open until the last statement that is still referenced is finalized.
        sqlite3_close_v2(pointer)
    }

    /// Protects against damaged or hostile schemas, and refuses transaction control in callers' SQL.
    private func harden() {
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        ] {
            _ = latch_sqlite3_db_config_flag(pointer, option, Int32(value))
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_set_authorizer(pointer, authorize, context)
        // Replaces SQLite's automatic checkpoint inside COMMIT, for which callers would have to wait.
        sqlite3_wal_hook(pointer, logPagesChanged, context)
        sqlite3_busy_handler(pointer, beBusy, context)
    }

    /// Whether the file is read-only, although it was opened for reading and writing.
    var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// Whether no transaction is open: none was begun, or SQLite has rolled it back.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(pointer) != 0 }

    /// Whether the open transaction violates a deferred foreign key.
    var hasDeferredViolations: Bool {
        var current: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return current != 0
    }

    /// Whether the path now leads to another file or to none. Calls `stat(2)` once.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let result = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return result == SQLITE_OK && moved != 0
    }

    var totalChanges: Int64 { sqlite3_total_changes64(pointer) }
    var changes: Int64 { sqlite3_changes64(pointer) }

    /// Waits briefly for a lock that was already requested `attempts` times. Returns false when ``busyTimeout`` is
    /// exceeded.
    ///
    /// SQLite's own handler sleeps up to 100 ms. In that time, a busy program releases the lock and takes it again many
    /// times. A sleep as short as one flushed commit finds a moment when the lock is free.
    fileprivate func waitForLock(attempts: Int32) -> Bool {
        if attempts == 0 { busySince = .now }
        guard busySince.duration(to: .now) < busyTimeout else { return false }
        // No event reports that another program released a lock of SQLite. Only the database's own thread waits here.
        SystemThread.sleep(.milliseconds(1))
        return true
    }

    /// Runs a script of any number of statements and discards its rows.
    func execute(_ script: String, operation: DatabaseError.Action) throws(DatabaseError) {
        let result = sqlite3_exec(pointer, script, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result, operation) }
    }

    /// Copies the log into the file. `truncating` also truncates the log, which requires that no other connection
    /// reads.
    ///
    /// Returns whether the whole log was copied. False when another connection prevented it.
    func checkpoint(truncating: Bool) throws(DatabaseError) -> Bool {
        var inLog: Int32 = 0
        var moved: Int32 = 0
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let result = sqlite3_wal_checkpoint_v2(pointer, "main", mode, &inLog, &moved)
        if result & 0xFF == SQLITE_BUSY { return false }
        guard result == SQLITE_OK else { throw failure(result, .write) }
        return inLog == moved
    }

    /// Returns the error for a result code that a call on this connection just returned.
    func failure(_ result: Int32, _ operation: DatabaseError.Action) -> DatabaseError {
        let text = String(cString: sqlite3_errmsg(pointer))
        if refusesWrites, result == SQLITE_READONLY {
            return DatabaseError(
                .misuse,
                "Could not write to \(subject): a read cannot write, use Database.write; "
                    + "this is a bug in the program.", cause: SQLiteFailure(resultCode: result, text: text))
        }
        let system = [SQLITE_CANTOPEN, SQLITE_IOERR].contains(result & 0xFF) ? sqlite3_system_errno(pointer) : 0
        return .sqlite(
            SQLiteFailure(resultCode: result, text: text), operation: operation, subject: subject,
            systemError: system == 0 ? nil : SystemError(number: system))
    }
}

/// Denies transaction control and access to other files to SQL that is not from this module. SQLite calls it only when
/// it prepares a statement.
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

private func logPagesChanged(
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
