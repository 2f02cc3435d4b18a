import FoundationEssentials
import LatchKit
import Synchronization

/// The sessions of the accounts in one run, each opened once.
final class AccountSessions: Sendable {
    private struct Entry {
        var session: Session
        var executor: (any TaskExecutor)?
    }

    private let latch: LatchClient
    private let entries = Mutex<[Account.ID: Entry]>([:])

    init(_ latch: LatchClient) { self.latch = latch }

    /// Returns the session of an account, or nil when the account no longer exists.
    func session(of account: Account.ID) async throws -> Session? {
        if let entry = entries.withLock({ $0[account] }) { return entry.session }
        guard let found = try await latch.accounts.account(account) else { return nil }
        let session = try latch.session(for: found)
        entries.withLock { $0[account] = Entry(session: session) }
        return session
    }

    /// The executor of an account's transfers. Nil before the first one has ended.
    func executor(of account: Account.ID) -> (any TaskExecutor)? { entries.withLock { $0[account]?.executor } }

    /// Records the executor of an account's transfers.
    func recordExecutor(of account: Account.ID, _ session: Session) async {
        guard executor(of: account) == nil else { return }
        let executor = await session.client.executor
        entries.withLock { $0[account]?.executor = executor }
    }

    /// Closes the session of an account. It is opened again when it is needed.
    func remove(_ account: Account.ID) { entries.withLock { $0[account] = nil } }

    func removeAll() { entries.withLock { $0 = [:] } }
}
