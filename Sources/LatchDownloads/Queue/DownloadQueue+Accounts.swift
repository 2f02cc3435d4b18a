import FoundationEssentials
import LatchKit

/// An account with unfinished tasks, as it was at the last check.
struct WaitingAccount: Sendable {
    /// The number of its unfinished tasks.
    var open: Int
    /// The address of its server, for people.
    var server: String
}

/// Handles accounts that are removed while files wait. Their tasks are removed with them, and the program that fetches
/// must report this.
extension DownloadQueue {
    /// Updates the accounts with unfinished tasks, and records those that were removed together with their tasks.
    func checkAccounts() async throws {
        let open = try await store.openByAccount()
        for (id, account) in waitingAccounts where open[id] == nil {
            waitingAccounts[id] = nil
            guard try await latch.accounts.account(id) == nil else { continue }
            lostAccounts.append(account)
            sessions[id] = nil
            try await removeStrayParts()
        }
        for (id, count) in open {
            if waitingAccounts[id] == nil {
                guard let account = try await latch.accounts.account(id) else { continue }
                waitingAccounts[id] = WaitingAccount(open: count, server: account.serverURL.description)
            } else {
                waitingAccounts[id]?.open = count
            }
        }
    }

    /// Returns the error to throw after all other tasks have ended, if accounts with unfinished tasks were removed. Nil
    /// otherwise.
    func removedAccountsError() -> LatchError? {
        guard let lost = lostAccounts.first else { return nil }
        let count = lostAccounts.reduce(0) { $0 + $1.open }
        return LatchError(
            .signedOut,
            "You signed out of \(lost.server), which had \(count == 1 ? "1 pending file" : "\(count) pending files"). "
                + "The download was cancelled and received data was removed. Sign in, and select the files again.")
    }

    /// Reports the failure of a running task that was removed from the queue, if its account was removed.
    func tellIfAccountIsGone(_ row: QueuedTask) async throws {
        guard try await latch.accounts.account(row.task.account) == nil else { return }
        tell(row, .failed("You signed out of its account."))
    }
}
