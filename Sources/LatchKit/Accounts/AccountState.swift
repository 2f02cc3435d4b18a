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
    /// newest one. The stream ends when the client is closed. Accounts that cannot be read are left out.
    ///
    /// - Parameter restoring: Whether each server is asked whether it still accepts the token: once at first, and again
    ///   when this or another program signs the account in. Otherwise the states are those that this device knows.
    /// - Returns: The stream.
    public func accountStates(restoring: Bool = true) -> AsyncStream<[AccountState]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let states = AccountStates(self, restores: restoring) { continuation.yield($0) }
            let task = Task {
                await states.run()
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Joins the list of accounts with the states of their sessions.
private actor AccountStates {
    private struct Watch {
        let session: Session
        let isSignedIn: Bool
        let task: Task<Void, Never>
    }

    private let client: LatchClient
    private let restores: Bool
    private let send: @Sendable ([AccountState]) -> Void
    private var accounts: [Account] = []
    private var states: [Account.ID: SessionState] = [:]
    private var watches: [Account.ID: Watch] = [:]

    init(_ client: LatchClient, restores: Bool, send: @escaping @Sendable ([AccountState]) -> Void) {
        self.client = client
        self.restores = restores
        self.send = send
    }

    /// Runs until the task is cancelled or the client is closed.
    func run() async {
        for await accounts in client.accounts.accountsUpdates { update(accounts) }
        for watch in watches.values { watch.task.cancel() }
        watches = [:]
    }

    private func update(_ new: [Account]) {
        accounts = new
        let ids = Set(new.map(\.id))
        states = states.filter { ids.contains($0.key) }
        for (id, watch) in watches where !ids.contains(id) {
            watch.task.cancel()
            watches[id] = nil
        }
        for account in new { watch(account) }
        publish()
    }

    /// Watches the session of an account, and restarts when the account is signed in or out.
    private func watch(_ account: Account) {
        let session: Session
        do {
            session = try client.session(for: account)
        } catch {
            states[account.id] = .unavailable(error.code)
            return
        }
        if let old = watches[account.id], old.session === session, old.isSignedIn == account.isSignedIn,
            !account.isSignedIn || !isSignedOut(account.id)
        {
            return
        }
        watches[account.id]?.task.cancel()
        states[account.id] = session.state
        let task = Task { [restores] in
            // The session reads its record again, which this or another program may have changed.
            let reading = Task {
                if restores { await session.restore() } else { _ = try? await session.present() }
            }
            defer { reading.cancel() }
            for await state in session.stateUpdates {
                if Task.isCancelled { return }
                self.record(state, of: account.id)
            }
        }
        watches[account.id] = Watch(session: session, isSignedIn: account.isSignedIn, task: task)
    }

    private func isSignedOut(_ id: Account.ID) -> Bool {
        if case .signedOut = states[id] { true } else { false }
    }

    private func record(_ state: SessionState, of id: Account.ID) {
        guard watches[id] != nil, states[id] != state else { return }
        states[id] = state
        publish()
    }

    private func publish() {
        send(accounts.map { AccountState(account: $0, state: states[$0.id] ?? .restoring) })
    }
}
