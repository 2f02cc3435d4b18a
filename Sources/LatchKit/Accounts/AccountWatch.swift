import Database
import Synchronization

/// Sends the list of accounts to watchers, including changes by other programs.
///
/// While there are watchers, the database is read again after each change of its files. See ``startPolling()``.
///
/// Source: RM-3.
actor AccountWatch {
    private let database: Database
    private let path: String
    private let pollInterval: Duration
    private let firstSettling: Duration
    private var watchers: [Int: Watcher] = [:]
    private var nextWatcher = 0
    private var polling: Task<Void, Never>?
    private var isReading = false
    private var mustReadAgain = false
    private var isClosed = false

    /// One stream.
    private struct Watcher: Sendable {
        /// Sends the list, and returns false when nobody reads the stream any more.
        let send: @Sendable ([Account]) -> Bool
        /// Ends the stream.
        let finish: @Sendable () -> Void
    }

    /// How long the database is polled after a change of its files.
    static let settling = Duration.seconds(10)

    /// - Parameters:
    ///   - database: The database.
    ///   - path: The path of its file.
    ///   - pollInterval: How often it is polled.
    ///   - firstSettling: How long it is polled at first, because a change may have begun before.
    init(database: Database, path: String, pollInterval: Duration, firstSettling: Duration = settling) {
        self.database = database
        self.path = path
        self.firstSettling = firstSettling
        self.pollInterval = pollInterval
    }

    deinit {
        polling?.cancel()
    }

    /// Returns a stream of values that are computed from the list: first the current value, then each value that
    /// differs from the previous one. ``close()`` ends it.
    nonisolated func stream<Value: Equatable & Sendable>(
        of value: @escaping @Sendable ([Account]) -> Value
    ) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let last = LastValue<Value>()
            let watcher = Watcher(
                send: { accounts in
                    let new = value(accounts)
                    guard last.isNew(new) else { return true }
                    if case .terminated = continuation.yield(new) { return false }
                    return true
                },
                finish: { continuation.finish() })
            let joining = Task { await self.add(watcher) }
            continuation.onTermination = { _ in
                // The watcher may not be added yet, so its id is awaited.
                Task { await self.remove(joining.value) }
            }
        }
    }

    /// Returns a stream that reports a change of the database, by this or another program: first at once, then after
    /// changes. Several changes may be reported as one.
    nonisolated var changes: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let joining = Task {
            await self.add(
                Watcher(
                    send: { _ in
                        if case .terminated = continuation.yield() { return false }
                        return true
                    },
                    finish: { continuation.finish() }))
        }
        continuation.onTermination = { _ in Task { await self.remove(joining.value) } }
        return stream
    }

    /// Reads the list again and sends it to all watchers. Reads it once more if it changes meanwhile.
    func changed() async {
        guard !watchers.isEmpty else { return }
        guard !isReading else {
            // The read in progress may have begun before this change.
            mustReadAgain = true
            return
        }
        isReading = true
        repeat {
            mustReadAgain = false
            guard let rows = try? await database.read({ try $0.all(AccountStore.allAccounts) }) else { continue }
            let accounts = rows.compactMap(\.account)
            for (id, watcher) in watchers where !watcher.send(accounts) { remove(id) }
        } while mustReadAgain
        isReading = false
    }

    /// Ends all streams, also those that begin later.
    func close() {
        isClosed = true
        polling?.cancel()
        polling = nil
        for watcher in watchers.values { watcher.finish() }
        watchers = [:]
    }

    private func add(_ watcher: Watcher) async -> Int {
        nextWatcher += 1
        let id = nextWatcher
        guard !isClosed else {
            watcher.finish()
            return id
        }
        watchers[id] = watcher
        if polling == nil { startPolling() }
        await changed()
        return id
    }

    private func remove(_ id: Int) {
        watchers[id] = nil
        guard watchers.isEmpty else { return }
        polling?.cancel()
        polling = nil
    }

    /// Polls the database for changes by other programs: for a while after each change of its files, and always where the
    /// system does not report changes.
    ///
    /// One reading is not enough: a program writes to the log of the database first, then waits for the disk, and only
    /// then makes the change visible, in memory that it shares.
    ///
    /// Source: sqlite.org/walformat.html.
    private func startPolling() {
        let pause = ChangePause(paths: [path, path + "-wal"], interval: pollInterval)
        polling = Task { [weak self, database, firstSettling] in
            var end = ContinuousClock.now + firstSettling
            while !Task.isCancelled {
                if .now < end {
                    await pause.poll()
                } else if await pause.wait() {
                    end = .now + Self.settling
                }
                if (try? await database.changedByOthers()) == true { await self?.changed() }
            }
        }
    }
}

/// The last value that a watcher received.
private final class LastValue<Value: Equatable & Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func isNew(_ new: Value) -> Bool {
        value.withLock { value in
            defer { value = new }
            return value != new
        }
    }
}

extension AccountStore {
    /// The list of accounts: first the current list, then the list after each change by this or another program. The
    /// stream ends when the client is closed.
    ///
    /// Source: RM-3.
    public var accountsUpdates: AsyncStream<[Account]> { watch.stream { $0 } }

    /// The active account, or nil when there is none: first the current one, then the one after each change. The stream
    /// ends when the client is closed.
    ///
    /// Source: RM-3.
    public var activeAccountUpdates: AsyncStream<Account?> {
        watch.stream { accounts in accounts.first(where: \.isActive) }
    }

    /// Reports each change of the database that contains the accounts, by this or another program: first at once, then
    /// after changes. The stream ends when the client is closed.
    package var databaseChanges: AsyncStream<Void> { watch.changes }

    /// Reports a change of other tables of the database by this program to ``databaseChanges``.
    package func reportDatabaseChange() async { await watch.changed() }

    /// Whether there are any accounts: first the current value, then the value after each change.
    ///
    /// Source: RM-3.
    package var hasAccountsUpdates: AsyncStream<Bool> { watch.stream { !$0.isEmpty } }
}
