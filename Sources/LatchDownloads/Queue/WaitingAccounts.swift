import FoundationEssentials
import LatchKit

/// The accounts with unfinished tasks. When an account is removed, its tasks are removed with it, and the program that
/// fetches must report this.
struct WaitingAccounts {
    private struct Entry {
        /// The number of its unfinished tasks at the last check.
        var open: Int
        /// The address of its server, for people.
        var server: String
    }

    private var entries: [Account.ID: Entry] = [:]
    private var removed: [Entry] = []

    /// Updates the numbers of unfinished tasks.
    ///
    /// - Parameter open: The number of unfinished tasks of each account that has any.
    /// - Returns: The accounts that have none any more, and those that are new here.
    mutating func update(_ open: [Account.ID: Int]) -> (ended: [Account.ID], new: [Account.ID]) {
        for (id, count) in open { entries[id]?.open = count }
        return (entries.keys.filter { open[$0] == nil }, open.keys.filter { entries[$0] == nil })
    }

    /// Adds an account with unfinished tasks.
    mutating func add(_ id: Account.ID, open: Int, server: String) { entries[id] = Entry(open: open, server: server) }

    /// Removes an account that has no unfinished tasks any more. `isRemoved` says whether the account itself no longer
    /// exists.
    mutating func remove(_ id: Account.ID, isRemoved: Bool) {
        guard let entry = entries.removeValue(forKey: id), isRemoved else { return }
        removed.append(entry)
    }

    /// The error to throw after all other tasks have ended. Nil unless accounts with unfinished tasks were removed.
    var error: LatchError? {
        guard let first = removed.first else { return nil }
        let count = removed.reduce(0) { $0 + $1.open }
        return LatchError(
            .signedOut,
            "You signed out of \(first.server), which had \(count == 1 ? "1 pending file" : "\(count) pending files"). "
                + "The download was cancelled and received data was removed. Sign in, and select the files again.")
    }
}
