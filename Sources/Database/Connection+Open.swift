import Primitives

extension Connection {
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
    private static let dataVersion = Statement("PRAGMA data_version") { row throws(DatabaseError) in
        try row.get(0) as Int64
    }

    /// Opens the writer's connection: creates the file, checks its identity and health, turns the write-ahead log on
    /// and migrates the schema.
    ///
    /// Nothing is written to a file before it is known to belong to this program.
    static func openForWriting(
        _ configuration: Database.Configuration, _ migrator: Migrator
    ) throws(DatabaseError) -> Connection {
        if case .file(let path) = configuration.location { try DatabaseFile.prepare(path) }
        let connection = try open(configuration)
        let deadline = ContinuousClock.now + configuration.busyTimeout
        try connection.retryingWhileLocked(until: deadline) { () throws(DatabaseError) in
            // One snapshot, because another program may be creating the file at the same time.
            try connection.snapshot { () throws(DatabaseError) in
                try migrator.check(connection)
                try connection.checkHealth()
            }
        }
        guard !connection.handle.isReadOnly else { throw connection.readOnly }
        if configuration.location != .inMemory {
            try connection.retryingWhileLocked(until: deadline) { () throws(DatabaseError) in
                try connection.turnLogOn()
            }
        }
        try migrator.migrate(connection, until: deadline)
        // After the migrations, which may rebuild tables that others refer to. They check all foreign keys themselves.
        try connection.handle.execute("PRAGMA foreign_keys = ON", operation: .open)
        _ = try connection.recordDataVersion()
        return connection
    }

    /// Opens a reader's connection to a file that the writer has already opened.
    static func openForReading(_ configuration: Database.Configuration) throws(DatabaseError) -> Connection {
        let connection = try open(configuration)
        try connection.handle.execute("PRAGMA query_only = ON", operation: .open)
        connection.handle.refusesWrites = true
        return connection
    }

    private static func open(_ configuration: Database.Configuration) throws(DatabaseError) -> Connection {
        let path: String? = if case .file(let path) = configuration.location { path } else { nil }
        let handle = try Handle(path: path.map(DatabaseFile.unambiguous), subject: configuration.subject)
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
        return Connection(handle)
    }

    /// Reads the header and the whole schema. In a small file, also checks every page.
    ///
    /// In a larger file, a damaged page is detected when it is used, with the same error.
    private func checkHealth() throws(DatabaseError) {
        _ = try first(Self.schemaCount)
        guard try first(Self.size) ?? 0 <= Self.checkedBytes, let finding = try first(Self.quickCheck) else { return }
        guard finding == "ok" else {
            throw .sqlite(.corrupt(finding), operation: .open, subject: handle.subject)
        }
    }

    private func turnLogOn() throws(DatabaseError) {
        if try first(Self.journalMode) == "wal" { return }
        let mode = try first(Self.useLog)
        guard mode == "wal" else {
            throw DatabaseError(
                .cannotOpen,
                "Could not open \(handle.subject): its file system does not support the shared memory of the "
                    + "write-ahead log; store it on a local disk.")
        }
    }

    private var readOnly: DatabaseError {
        .sqlite(.readOnly, operation: .open, subject: handle.subject)
    }

    /// Reads the data version and stores it. Returns whether it differs from the last one read.
    func recordDataVersion() throws(DatabaseError) -> Bool {
        let version = try first(Self.dataVersion) ?? 0
        defer { dataVersion = version }
        return version != dataVersion
    }

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
