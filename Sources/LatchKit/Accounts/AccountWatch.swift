import Database
import Synchronization

/// Tells watchers of the list of accounts, also when another program changed it.
///
/// It asks the database for others' changes while somebody watches, and not otherwise.
///
/// Source: RM-3.
actor AccountWatch {
    private let database: Database
    private let pollInterval: Duration
    private var watchers: [Int: @Sendable ([Account]) -> Bool] = [:]
    private var nextWatcher = 0
    private var polling: Task<Void, Never>?
    private var isReading = false
    private var mustReadAgain = false

    init(database: Database, pollInterval: Duration) {
        self.database = database
        self.pollInterval = pollInterval
    }

    deinit {
        polling?.cancel()
    }

    /// A stream of what `value` makes of the list: the present one first, then each that differs from the one before.
    nonisolated func stream<Value: Equatable & Sendable>(
        of value: @escaping @Sendable ([Account]) -> Value
    ) -> AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let last = LastTold<Value>()
            let tell: @Sendable ([Account]) -> Bool = { accounts in
                let new = value(accounts)
                guard last.isNews(new) else { return true }
                if case .terminated = continuation.yield(new) { return false }
                return true
            }
            let joining = Task { await self.add(tell) }
            continuation.onTermination = { _ in
                Task { await self.remove(joining.value) }
            }
        }
    }

    /// Reads the list again and tells every watcher; changes that come meanwhile are read once more.
    func changed() async {
        guard !watchers.isEmpty else { return }
        guard !isReading else {
            mustReadAgain = true
            return
        }
        isReading = true
        repeat {
            mustReadAgain = false
            guard let rows = try? await database.read({ try $0.all(AccountStore.allAccounts) }) else { continue }
            let accounts = rows.compactMap(\.account)
            for (id, tell) in watchers where !tell(accounts) { remove(id) }
        } while mustReadAgain
        isReading = false
    }

    private func add(_ tell: @escaping @Sendable ([Account]) -> Bool) async -> Int {
        nextWatcher += 1
        let id = nextWatcher
        watchers[id] = tell
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

    private func startPolling() {
        let (database, interval) = (database, pollInterval)
        polling = Task { [weak self] in
            while !Task.isCancelled {
                guard (try? await Task.sleep(for: interval)) != nil else { return }
                if (try? await database.changedByOthers()) == true { await self?.changed() }
            }
        }
    }
}

/// What a watcher was told last.
private final class LastTold<Value: Equatable & Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func isNews(_ new: Value) -> Bool {
        value.withLock { value in
            defer { value = new }
            return value != new
        }
    }
}

extension AccountStore {
    /// The list of accounts: as it is now, then after each change by this or another program.
    ///
    /// Source: RM-3.
    public var accountsUpdates: AsyncStream<[Account]> { watch.stream { $0 } }

    /// The active account, nil when there is none: as it is now, then after each change.
    ///
    /// Source: RM-3.
    public var activeAccountUpdates: AsyncStream<Account?> {
        watch.stream { accounts in accounts.first(where: \.isActive) }
    }

    /// Whether there is any account: as it is now, then after each change.
    ///
    /// Source: RM-3.
    public var hasAccountsUpdates: AsyncStream<Bool> { watch.stream { !$0.isEmpty } }
}
