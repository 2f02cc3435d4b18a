public import FoundationEssentials

/// An account and the state of its session.
public struct AccountState: Identifiable, Hashable, Sendable {
    /// The account.
    public var account: Account
    /// The state of its session.
    public var state: SessionState
    /// The id of the account.
    public var id: Account.ID { account.id }
}

extension LatchClient {
    /// The accounts with the states of their sessions: first the current list, then the list after each change by this
    /// or another program.
    ///
    /// A window that lists the accounts needs only this stream. Lists that were not taken in time are replaced by the
    /// newest one. The stream does not end by itself.
    ///
    /// - Parameter restoring: Whether each session is restored, which asks its server once whether it still accepts the
    ///   token. Otherwise a session stays ``SessionState/restoring`` until it is used.
    /// - Returns: The stream.
    public func accountStates(restoring: Bool = true) -> AsyncStream<[AccountState]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let states = AccountStates(self, restores: restoring) { continuation.yield($0) }
            let task = Task { await states.run() }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Joins the list of accounts with the states of their sessions.
private actor AccountStates {
    private let client: LatchClient
    private let restores: Bool
    private let send: @Sendable ([AccountState]) -> Void
    private var accounts: [Account] = []
    private var states: [Account.ID: SessionState] = [:]
    private var watchers: [Account.ID: Task<Void, Never>] = [:]

    init(_ client: LatchClient, restores: Bool, send: @escaping @Sendable ([AccountState]) -> Void) {
        self.client = client
        self.restores = restores
        self.send = send
    }

    /// Runs until the task is cancelled.
    func run() async {
        for await accounts in client.accounts.accountsUpdates { update(accounts) }
        for watcher in watchers.values { watcher.cancel() }
        watchers = [:]
    }

    private func update(_ new: [Account]) {
        accounts = new
        let ids = Set(new.map(\.id))
        for (id, watcher) in watchers where !ids.contains(id) {
            watcher.cancel()
            watchers[id] = nil
            states[id] = nil
        }
        for account in new where watchers[account.id] == nil { watch(account) }
        publish()
    }

    private func watch(_ account: Account) {
        let id = account.id
        do {
            let session = try client.session(for: account)
            states[id] = session.state
            watchers[id] = Task { [restores] in
                let restoring = restores ? Task { await session.restore() } : nil
                defer { restoring?.cancel() }
                for await state in session.stateUpdates { self.note(state, of: id) }
            }
        } catch {
            states[id] = .unavailable(error.code)
        }
    }

    private func note(_ state: SessionState, of id: Account.ID) {
        guard watchers[id] != nil, states[id] != state else { return }
        states[id] = state
        publish()
    }

    private func publish() {
        send(accounts.map { AccountState(account: $0, state: states[$0.id] ?? .restoring) })
    }
}
