import FoundationEssentials
import LatchKit

/// An account of which files wait, as it was when it was last looked at.
struct WaitingAccount: Sendable {
    /// How many of its tasks were not over.
    var open: Int
    /// Its server, for people.
    var server: String
}

/// Accounts that go while their files wait: the tasks go with them, and whoever fetches must be told.
extension DownloadQueue {
    /// Looks which accounts have files that wait, and notes those that have gone with theirs.
    func lookAtAccounts() async throws {
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

    /// What whoever had these files fetched is told when all others are over; nil when no account has gone.
    func lossOfAccounts() -> LatchError? {
        guard let lost = lostAccounts.first else { return nil }
        let count = lostAccounts.reduce(0) { $0 + $1.open }
        return LatchError(
            .signedOut,
            "You signed out of \(lost.server) while \(count == 1 ? "1 file" : "\(count) files") of it waited: nothing more of "
                + "that is fetched, and what had come in parts is removed. Sign in, and choose them again.")
    }

    /// Tells of a task that runs and is in the queue no more, if that is because its account is gone.
    func tellIfAccountIsGone(_ row: QueuedTask) async throws {
        guard try await latch.accounts.account(row.task.account) == nil else { return }
        tell(row, .failed("You signed out of its account."))
    }
}
