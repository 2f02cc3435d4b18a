import Primitives

/// Opens connections to an SQLite file, or to a database in memory.
struct SQLiteDriver: DatabaseDriver {
    /// Files up to this size, in bytes, are checked completely when they are opened. Checking larger files would
    /// noticeably delay each start of a program.
    private static let checkedBytes: Int64 = 1 << 20

    private static let schemaCount = Statement("SELECT count(*) FROM sqlite_schema") { row throws(DatabaseError) in
        try row.get(0) as Int
    }
    private static let size = Statement("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") {
        row throws(DatabaseError) in try row.get(0) as Int64
    }
    private static let quickCheck = Statement("PRAGMA quick_check(1)") { row throws(DatabaseError) in
        try row.get(0) as String
    }
    private static let journalMode = Statement("PRAGMA journal_mode") { row throws(DatabaseError) in
        try row.get(0) as String
    }
    private static let useLog = Statement("PRAGMA journal_mode = WAL") { row throws(DatabaseError) in
        try row.get(0) as String
    }

    let configuration: Database.Configuration

    var subject: String { configuration.subject }
    var readerCount: Int { configuration.location == .inMemory ? 0 : configuration.readerCount }
    var longReaderCount: Int { configuration.location == .inMemory ? 0 : configuration.longReaderCount }
    var maximumWait: Duration? { nil }
    var roundTripCount: Int { 0 }

    var listens: Bool { false }

    func openForListening() throws(DatabaseError) -> Connection { try openForReading() }

    /// Creates the file, checks its identity and health, turns the write-ahead log on and migrates the schema.
    ///
    /// Nothing is written to a file before it is known to belong to this program.
    func openForWriting(_ migrations: [Migration]) throws(DatabaseError) -> Connection {
        if case .file(let path) = configuration.location { try DatabaseFile.prepare(path) }
        let migrator = Migrator(migrations: migrations, applicationID: configuration.applicationID)
        let handle = try openHandle()
        let driver = SQLiteConnection(handle, isReader: false, flushesCommits: configuration.synchronousFull)
        let connection = Connection(driver)
        let deadline = ContinuousClock.now + configuration.busyTimeout
        try handle.retryingWhileLocked(until: deadline) { () throws(DatabaseError) in
            // One snapshot, because another program may be creating the file at the same time.
            try connection.snapshot { () throws(DatabaseError) in
                try migrator.check(connection)
                try checkHealth(connection)
            }
        }
        guard !handle.isReadOnly else { throw .sqlite(.readOnly, operation: .open, subject: subject) }
        if configuration.location != .inMemory {
            try handle.retryingWhileLocked(until: deadline) { () throws(DatabaseError) in try turnLogOn(connection) }
        }
        try migrator.migrate(connection)
        // After the migrations, which may rebuild tables that others refer to. They check all foreign keys themselves.
        try handle.execute("PRAGMA foreign_keys = ON", operation: .open)
        _ = try driver.externalChanges()
        return connection
    }

    func schemaVersion() throws(DatabaseError) -> Int {
        try Migrator(migrations: [], applicationID: configuration.applicationID).version(of: try openForReading())
    }

    func openForReading() throws(DatabaseError) -> Connection {
        let handle = try openHandle()
        try handle.execute("PRAGMA query_only = ON", operation: .open)
        handle.refusesWrites = true
        return Connection(
            SQLiteConnection(handle, isReader: true, flushesCommits: configuration.synchronousFull))
    }

    private func openHandle() throws(DatabaseError) -> Handle {
        let path: String? = if case .file(let path) = configuration.location { path } else { nil }
        let handle = try Handle(path: path.map(DatabaseFile.unambiguous), subject: subject)
        handle.busyTimeout = configuration.busyTimeout
        // secure_delete: no bytes of a revoked session remain in the file. temp_store: no row is written to a temporary
        // file.
        try handle.execute(
            """
            PRAGMA secure_delete = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA journal_size_limit = 4194304;
            PRAGMA cache_size = -\(configuration.cacheSize);
            PRAGMA synchronous = \(configuration.synchronousFull ? "FULL" : "NORMAL");
            """, operation: .open)
        return handle
    }

    /// Reads the header and the whole schema. In a small file, also checks every page.
    ///
    /// In a larger file, a damaged page is detected when it is used, with the same error.
    private func checkHealth(_ connection: Connection) throws(DatabaseError) {
        _ = try connection.first(Self.schemaCount)
        guard try connection.first(Self.size) ?? 0 <= Self.checkedBytes,
            let finding = try connection.first(Self.quickCheck)
        else { return }
        guard finding == "ok" else {
            throw .sqlite(.corrupt(finding), operation: .open, subject: subject)
        }
    }

    private func turnLogOn(_ connection: Connection) throws(DatabaseError) {
        if try connection.first(Self.journalMode) == "wal" { return }
        let mode = try connection.first(Self.useLog)
        guard mode == "wal" else {
            throw DatabaseError(
                .cannotOpen,
                "Could not open \(subject): its file system does not support the shared memory of the "
                    + "write-ahead log; store it on a local disk.")
        }
    }
}

extension Handle {
    /// Runs `body`, and repeats it until `deadline` while another program locks the file.
    ///
    /// SQLite's busy handler does not cover every lock: SQLite fails immediately where waiting might cause a deadlock.
    func retryingWhileLocked(
        until deadline: ContinuousClock.Instant, _ body: () throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        while true {
            do throws(DatabaseError) {
                return try body()
            } catch {
                guard error.code == .locked, ContinuousClock.now < deadline else { throw error }
                // No event reports that the other program released its lock. Only the database's own thread waits here.
                SystemThread.sleep(.milliseconds(5))
            }
        }
    }
}
