import Primitives

/// An SQLite database that several programs may use at once.
///
/// One thread writes: it commits all writes that wait together, and a caller hears of its write only after the commit
/// is on the disk (write-ahead log, `synchronous=FULL`). Further threads read, each from a snapshot of its own, and
/// never wait for the writer. A crash keeps every write that was answered, and no half of one that was not.
///
/// Source: SQLite, "Write-Ahead Logging"; "Pragma Statements": `synchronous`.
public final class Database: Sendable {
    private let configuration: Configuration
    private let writing = Mailbox<Writer.Job>()
    private let reading = Mailbox<any PendingCall>()
    private let workers = WorkerCount()
    private let readers = WorkerCount()
    private let departures = Mailbox<Void>()
    private let tally = Tally()

    private init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    deinit {
        writing.close()
        reading.close()
    }

    /// Opens the database, makes it when it is missing and brings its schema to the last migration's version.
    ///
    /// Two programs that open at once are safe: each migration runs once. Cancellation is not honoured.
    ///
    /// - Parameters:
    ///   - configuration: Where it is and how it is used.
    ///   - migrations: All steps of the schema ever released, versions growing.
    /// - Returns: The open database, with its threads running.
    /// - Throws: ``DatabaseError`` with every code that speaks of a file. A migration that fails leaves the version
    ///   before it.
    public static func open(
        _ configuration: Configuration, migrations: [Migration]
    ) async throws(DatabaseError) -> Database {
        let database = Database(configuration)
        let migrator = Migrator(migrations, applicationID: configuration.applicationID)
        do throws(DatabaseError) {
            try await database.startWriter(migrator)
            if configuration.location != .inMemory {
                for _ in 0..<configuration.readerCount { try await database.startReader() }
            }
        } catch {
            await database.close()
            throw error
        }
        return database
    }

    /// Reads from one snapshot, on a reader's thread.
    ///
    /// Sees every write that was answered before the call. Cancelled before it is taken up it throws
    /// `CancellationError`; afterwards it completes.
    ///
    /// - Parameter body: Runs inside a transaction; a statement in it that writes throws.
    /// - Returns: What `body` gives.
    /// - Throws: What `body` throws, ``DatabaseError``, or `CancellationError`.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await Call(body).value { call throws(DatabaseError) in
            let isTaken = isInMemory ? writing.post(.read(call)) : reading.post(call)
            guard isTaken else { throw closed }
        }
    }

    /// Changes the database; returns once the change is on the disk.
    ///
    /// Writes that wait at the same time share one commit. A body that throws takes back its own changes only; a
    /// commit that fails (disk full) takes back those of all, and each caller gets the error. Cancelled before it
    /// is taken up it throws `CancellationError` and changes nothing; afterwards it completes.
    ///
    /// - Parameters:
    ///   - outlivesPowerLoss: Whether the commit must be on the disk before the return. Without, every program sees it and a
    ///     crash of this one keeps it; when the power goes it may be gone, with what came after it and never half.
    ///   - body: Runs inside a transaction, once at most. Keep it short: every other write waits for it.
    /// - Returns: What `body` gives, once it is committed.
    /// - Throws: What `body` throws, ``DatabaseError``, or `CancellationError`.
    public func write<Value: Sendable>(
        outlivesPowerLoss: Bool = true, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await Call(body).value { call throws(DatabaseError) in
            guard writing.post(.write(call, outlivesPowerLoss: outlivesPowerLoss)) else { throw closed }
        }
    }

    /// Whether another program, or another ``Database`` on the same file, has committed since this was last asked.
    ///
    /// The first call asks since the opening. Own writes do not count.
    ///
    /// Source: SQLite, "Pragma Statements": `data_version`.
    public func changedByOthers() async throws -> Bool {
        try await errand { connection in try connection.noteDataVersion() }
    }

    /// Moves what the log holds into the file and cuts the log, as a backup of the file alone would need.
    ///
    /// - Returns: Whether all of it went; false when another connection was in the way, for which it does not wait.
    ///
    /// Source: `sqlite3_wal_checkpoint_v2`, mode `TRUNCATE`.
    @discardableResult
    public func checkpoint() async throws -> Bool {
        let timeout = configuration.busyTimeout
        return try await errand { connection in
            connection.handle.busyTimeout = .zero
            defer { connection.handle.busyTimeout = timeout }
            return try connection.handle.checkpoint(truncating: true)
        }
    }

    /// Closes the database after the reads and writes that wait already; returns once its files are closed.
    ///
    /// Later calls throw ``DatabaseError/Code/closed``. Closing again only waits.
    public func close() async {
        writing.close()
        reading.close()
        await workers.waitForAll()
    }

    /// Where the file is; nil for one in memory.
    public var path: String? { if case .file(let path) = configuration.location { path } else { nil } }

    /// Commits since the opening.
    public var commitCount: Int { tally.commitCount }

    /// Writes that those commits kept.
    public var writeCount: Int { tally.writeCount }

    private var isInMemory: Bool { configuration.location == .inMemory }

    private var closed: DatabaseError {
        DatabaseError(.closed, "Could not use \(configuration.subject): this program has closed it already.")
    }

    private func errand<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await Call(body).value { call throws(DatabaseError) in
            guard writing.post(.errand(call)) else { throw closed }
        }
    }
}

extension Database {
    /// Starts the thread that writes, and waits until it has opened and migrated the file.
    private func startWriter(_ migrator: Migrator) async throws(DatabaseError) {
        let (configuration, mailbox, tally) = (configuration, writing, tally)
        let (readers, departures) = (readers, departures)
        try await startWorker { () throws(DatabaseError) in
            let connection = try Connection.openForWriting(configuration, migrator)
            var writer = Writer(
                connection: connection, busyTimeout: configuration.busyTimeout, tally: tally,
                syncsCommits: configuration.synchronousFull)
            return {
                writer.run(mailbox)
                // Closing side by side, each would leave the log to the other; the last one clears it away.
                while readers.areRunning { _ = departures.takeOne() }
            }
        }
    }

    /// Starts one thread that reads, and waits until it has opened the file.
    private func startReader() async throws(DatabaseError) {
        let (configuration, mailbox) = (configuration, reading)
        let (readers, departures) = (readers, departures)
        readers.enter()
        try await startWorker { () throws(DatabaseError) in
            let connection = try Connection.openForReading(configuration)
            return {
                while let call = mailbox.takeOne() {
                    guard call.start() else { continue }
                    call.settle(failure: connection.performRead(call, alwaysRefusesWrites: true))
                }
            }
        } atEnd: {
            readers.leave()
            _ = departures.post(())
        }
    }

    /// Starts a thread that first runs `open` and, when that succeeds, the loop it gave; waits for the opening.
    ///
    /// The connection is made on its thread and never leaves it; `atEnd` runs once it is closed.
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
                    workers.leave()
                }
            } catch {
                atEnd()
                workers.leave()
                let reason = SystemError(number: error.number)
                continuation.resume(
                    returning: .failure(
                        DatabaseError(.other, "Could not start a thread for the database: \(reason).", cause: reason)))
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
