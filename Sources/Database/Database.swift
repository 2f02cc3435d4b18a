import Primitives
import Synchronization

/// A database that several programs may use at once: an SQLite file, or a database of a server.
///
/// One thread writes. It commits all waiting writes together, and a write returns only after its commit is on the disk
/// (SQLite: write-ahead log, `synchronous=FULL`). Further threads read, each from its own snapshot, and never wait for the
/// writer. Long reads have threads of their own. After a crash, every write that returned is kept, and every other write
/// is kept completely or not at all.
///
/// Source: SQLite, "Write-Ahead Logging"; "Pragma Statements": `synchronous`.
package final class Database: Sendable {
    /// The condition of every write of the current task. Nil for none.
    @TaskLocal package static var writeCondition: (any WriteCondition)?

    private let driver: any DatabaseDriver
    /// The path of the file. Nil for a database in memory or of a server.
    package let path: String?
    private let writing = Mailbox<Writer.Job>()
    private let reading = Mailbox<ReadJob>()
    private let longReading = Mailbox<ReadJob>()
    private let listening = Mailbox<any PendingCall>()
    private let workers = WorkerCount()
    private let readers = WorkerCount()
    private let readerExits = Mailbox<Void>()
    private let writeCounter = WriteCounter()
    /// The modules whose tables have the newest version.
    private let migratedModules = Mutex<Set<String>>([])

    private init(_ driver: any DatabaseDriver, path: String? = nil) {
        self.driver = driver
        self.path = path
    }

    deinit {
        // The threads retain only the mailboxes, so this runs without a call of close() too, and ends them.
        closeMailboxes()
    }

    private func closeMailboxes() {
        writing.close()
        reading.close()
        longReading.close()
        listening.close()
    }

    /// Opens the database, creates it when it is missing, and migrates its schema to the version of the last migration.
    ///
    /// Two programs can safely open the same file at once: each migration runs only once. Cancellation is not honoured.
    ///
    /// - Parameters:
    ///   - configuration: The location and the settings of the database.
    ///   - migrations: All migrations ever released, in ascending order of their versions.
    /// - Returns: The open database, with its threads running.
    /// - Throws: ``DatabaseError`` with any code that describes a file. When a migration fails, the schema keeps its
    ///   version.
    package static func open(
        _ configuration: Configuration, migrations: [Migration]
    ) async throws(DatabaseError) -> Database {
        let path: String? = if case .file(let path) = configuration.location { path } else { nil }
        return try await open(Database(SQLiteDriver(configuration: configuration), path: path), migrations)
    }

    /// Opens a database of another kind than SQLite.
    ///
    /// - Parameters:
    ///   - driver: The driver, with the settings of the database.
    ///   - migrations: All migrations for this kind of database, in ascending order of their versions.
    /// - Returns: The open database, with its threads running.
    /// - Throws: ``DatabaseError``. When a migration fails, the schema keeps its version.
    package static func open(
        _ driver: some DatabaseDriver, migrations: [Migration]
    ) async throws(DatabaseError) -> Database {
        try await open(Database(driver), migrations)
    }

    /// Opens an existing database only to read it, without migrating it.
    package static func inspect(_ configuration: Configuration) async throws(DatabaseError) -> Database {
        try await inspect(SQLiteDriver(configuration: configuration))
    }

    /// Opens an existing database of another kind than SQLite only to read it, without migrating it.
    package static func inspect(_ driver: some DatabaseDriver) async throws(DatabaseError) -> Database {
        let database = Database(driver)
        do throws(DatabaseError) {
            try await database.startReaders(1)
            if driver.listens { try await database.startListener() }
        } catch {
            await database.close()
            throw error
        }
        return database
    }

    /// Returns the version of the schema of a database, without changing anything. 0 for a database without tables.
    ///
    /// - Throws: ``DatabaseError`` when the database does not exist, does not answer, or belongs to another program.
    package static func schemaVersion(_ configuration: Configuration) async throws(DatabaseError) -> Int {
        try await schemaVersion(SQLiteDriver(configuration: configuration))
    }

    /// Returns the version of the schema of a database of another kind than SQLite, without changing anything.
    package static func schemaVersion(_ driver: some DatabaseDriver) async throws(DatabaseError) -> Int {
        let database = Database(driver)
        let version = Mutex(0)
        // A thread of its own, because connecting may block.
        try await database.startWorker { () throws(DatabaseError) in
            let found = try driver.schemaVersion()
            version.withLock { $0 = found }
            return {}
        }
        return version.withLock { $0 }
    }

    /// Throws when this user may not write to an SQLite file and to its folder, or not create what is missing of both.
    /// Changes nothing.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``DatabaseError/Code/readOnly`` or ``DatabaseError/Code/cannotOpen``.
    package static func requireWritable(_ path: String) throws(DatabaseError) {
        try DatabaseFile.requireWritable(path)
    }

    private static func open(_ database: Database, _ migrations: [Migration]) async throws(DatabaseError) -> Database {
        Migration.checkOrder(migrations)
        do throws(DatabaseError) {
            try await database.startWriter(migrations)
            try await database.startReaders(database.driver.readerCount)
            if database.driver.listens { try await database.startListener() }
        } catch {
            await database.close()
            throw error
        }
        return database
    }

    /// Reads from one snapshot, on a reader's thread.
    ///
    /// Sees every write that returned before the call. When the task is cancelled before the body starts, throws
    /// `CancellationError`. Once the body has started, it completes.
    ///
    /// - Parameter body: The closure to run inside a transaction. A statement in it that writes throws.
    /// - Returns: The value of `body`.
    /// - Throws: The error of `body`, ``DatabaseError``, or `CancellationError`.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await read(on: reading, body)
    }

    /// Reads like ``read(_:)``, on a thread for long reads. For reads whose time grows with the data.
    ///
    /// Long reads do not delay ``read(_:)``, because they have connections of their own. They wait for each other for as
    /// long as it takes. A database without connections for long reads uses those of ``read(_:)``.
    ///
    /// - Parameter body: The closure to run inside a transaction. A statement in it that writes throws.
    /// - Returns: The value of `body`.
    /// - Throws: The error of `body`, ``DatabaseError``, or `CancellationError`.
    package func readLong<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await read(on: driver.longReaderCount == 0 ? reading : longReading, body)
    }

    private func read<Value: Sendable>(
        on mailbox: Mailbox<ReadJob>, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await Call(body).value { call throws(DatabaseError) in
            let isTaken = driver.readerCount == 0 ? writing.post(.read(call)) : mailbox.post(ReadJob(call))
            guard isTaken else { throw closed }
        }
    }

    /// Changes the database, and returns once the change is on the disk.
    ///
    /// Writes that wait at the same time share one commit. When a body throws, only its own changes are undone. When
    /// the commit fails, for example because the disk is full, the changes of all bodies are undone and each caller
    /// gets the error. When the task is cancelled before the body starts, throws `CancellationError` and changes
    /// nothing. Once the body has started, it completes.
    ///
    /// - Parameters:
    ///   - outlivesPowerLoss: Whether the commit must be on the disk before the call returns. When false, the commit is
    ///     visible to every program and survives a crash of this one. A power failure may lose it together with all
    ///     later commits, but never a part of a commit.
    ///   - body: The closure to run inside a transaction, at most once. Keep it short: every other write waits for it.
    ///     ``writeCondition`` is checked first, in the same transaction.
    /// - Returns: The value of `body`, once it is committed.
    /// - Throws: The error of ``writeCondition`` or `body`, ``DatabaseError``, or `CancellationError`.
    package func write<Value: Sendable>(
        outlivesPowerLoss: Bool = true, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let condition = Self.writeCondition
        let call = Call { connection in
            try condition?.check(connection)
            return try body(connection)
        }
        return try await call.value { call throws(DatabaseError) in
            guard writing.post(.write(call, outlivesPowerLoss: outlivesPowerLoss)) else { throw closed }
        }
    }

    func isMigrated(_ module: String) -> Bool { migratedModules.withLock { $0.contains(module) } }

    func recordMigration(of module: String) { migratedModules.withLock { _ = $0.insert(module) } }

    /// Returns the changes by other programs, or by another ``Database`` on the same data, since the last call.
    ///
    /// The first call reports changes since the database was opened. Changes by this object are not reported by
    /// SQLite, and may be reported by a server.
    ///
    /// Source: SQLite, "Pragma Statements": `data_version`; PostgreSQL, `LISTEN`.
    package func externalChanges() async throws -> ExternalChanges {
        guard driver.listens else {
            return try await maintenance { connection in try connection.driver.externalChanges() }
        }
        return try await Call { connection in try connection.driver.externalChanges() }.value {
            call throws(DatabaseError) in
            guard listening.post(call) else { throw closed }
        }
    }

    /// Returns whether another program, or another ``Database`` on the same file, has committed since the last call.
    ///
    /// The first call reports commits since the database was opened. Writes of this database do not count.
    package func changedByOthers() async throws -> Bool {
        let changes = try await externalChanges()
        return !changes.isComplete || !changes.messages.isEmpty
    }

    /// Copies the content of the write-ahead log into the file and truncates the log, as needed for a backup of the
    /// file alone.
    ///
    /// - Returns: Whether the whole log was copied. False when another connection prevented it; this function does not
    ///   wait for other connections.
    ///
    /// Source: `sqlite3_wal_checkpoint_v2`, mode `TRUNCATE`.
    @discardableResult
    package func checkpoint() async throws -> Bool {
        try await maintenance { connection in try connection.driver.checkpoint() }
    }

    /// Closes the database after the reads and writes that already wait, and returns once its files are closed.
    ///
    /// Later calls throw ``DatabaseError/Code/closed``. When the database is already closed, this function only waits.
    package func close() async {
        closeMailboxes()
        await workers.waitForAll()
    }

    /// The number of commits since the database was opened.
    package var commitCount: Int { writeCounter.commitCount }

    /// The number of writes in those commits.
    package var writeCount: Int { writeCounter.writeCount }

    /// How often the threads have waited for an answer of a server. 0 for a database without one.
    package var roundTripCount: Int { driver.roundTripCount }

    private var closed: DatabaseError {
        DatabaseError(.closed, "Could not use \(driver.subject): this program has already closed it.")
    }

    private func maintenance<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await Call(body).value { call throws(DatabaseError) in
            guard writing.post(.maintenance(call)) else { throw closed }
        }
    }
}

extension Database {
    /// Starts the writer thread, and waits until it has opened and migrated the database.
    private func startWriter(_ migrations: [Migration]) async throws(DatabaseError) {
        let (driver, mailbox, writeCounter) = (driver, writing, writeCounter)
        let (readers, readerExits) = (readers, readerExits)
        try await startWorker { () throws(DatabaseError) in
            let writer = Writer(connection: try driver.openForWriting(migrations), writeCounter: writeCounter)
            return {
                writer.run(mailbox)
                // Connections that close at the same time could each leave the log for the other to delete. The
                // connection that closes last deletes it.
                while readers.areRunning { _ = readerExits.takeOne() }
            }
        }
    }

    /// Starts `count` threads for reads, and those for long reads.
    private func startReaders(_ count: Int) async throws(DatabaseError) {
        for _ in 0..<count { try await startReader(of: reading, maximumWait: driver.maximumWait) }
        for _ in 0..<driver.longReaderCount { try await startReader(of: longReading, maximumWait: nil) }
    }

    /// Starts one reader thread, and waits until it has opened the database. A read that has waited for longer than
    /// `maximumWait` fails.
    private func startReader(
        of mailbox: Mailbox<ReadJob>, maximumWait: Duration?
    ) async throws(DatabaseError) {
        let driver = driver
        let (readers, readerExits) = (readers, readerExits)
        readers.enter()
        try await startWorker { () throws(DatabaseError) in
            let connection = try driver.openForReading()
            return {
                while let job = mailbox.takeOne() {
                    guard job.call.start() else { continue }
                    job.call.complete(
                        failure: job.hasWaited(maximumWait) ? Self.overdue(driver) : connection.performRead(job.call))
                }
            }
        } atEnd: {
            readers.workerEnded()
            _ = readerExits.post(())
        }
    }

    private static func overdue(_ driver: any DatabaseDriver) -> DatabaseError {
        DatabaseError(
            .unavailable, "Could not read \(driver.subject): it has not answered for some time; check that it runs.")
    }

    /// Starts the thread that asks for changes by others.
    private func startListener() async throws(DatabaseError) {
        let (driver, mailbox) = (driver, listening)
        try await startWorker { () throws(DatabaseError) in
            let connection = try driver.openForListening()
            return {
                while let call = mailbox.takeOne() {
                    guard call.start() else { continue }
                    _ = call.perform(on: connection)
                    call.complete(failure: nil)
                }
            }
        }
    }

    /// Starts a thread that runs `open` and, when that succeeds, the loop that it returned. Waits until `open` has
    /// finished.
    ///
    /// The connection is created on its thread and never leaves it. `atEnd` runs after the connection is closed.
    private func startWorker(
        _ open: @escaping @Sendable () throws(DatabaseError) -> () -> Void,
        atEnd: @escaping @Sendable () -> Void = {}
    ) async throws(DatabaseError) {
        let workers = workers
        workers.enter()
        let opened: Result<Void, DatabaseError> = await withCheckedContinuation { continuation in
            do throws(SystemThread.Failure) {
                try SystemThread.detach {
                    Self.work(open) { continuation.resume(returning: $0) }
                    atEnd()
                    workers.workerEnded()
                }
            } catch {
                atEnd()
                workers.workerEnded()
                let reason = SystemError(number: error.number)
                continuation.resume(
                    returning: .failure(
                        DatabaseError(
                            .other, "Could not start a thread for the database: \(reason); raise the limit of threads.",
                            cause: reason)))
            }
        }
        try opened.get()
    }

    private static func work(
        _ open: () throws(DatabaseError) -> () -> Void, tell: (Result<Void, DatabaseError>) -> Void
    ) {
        do throws(DatabaseError) {
            let loop = try open()
            tell(.success(()))
            loop()
        } catch {
            tell(.failure(error))
        }
    }
}

/// A read that waits for a connection.
private struct ReadJob: Sendable {
    let call: any PendingCall
    private let posted = ContinuousClock.now

    init(_ call: any PendingCall) {
        self.call = call
    }

    /// Whether the read has waited for longer than a time. False for nil.
    func hasWaited(_ maximum: Duration?) -> Bool { maximum.map { posted.duration(to: .now) > $0 } ?? false }
}
