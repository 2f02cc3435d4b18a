public import FoundationEssentials
public import LatchKit

/// What may be said of tasks while they wait, come, or are over; by this program or another one on the same accounts.
///
/// Source: DL-12.
extension DownloadQueue {
    /// Takes a task out of the queue, with the other part of a live photo; what it has fetched is dropped, a file in
    /// its place stays.
    ///
    /// - Returns: Whether it was there and not over.
    ///
    /// Source: DL-12.
    @discardableResult
    public func cancel(_ id: String, of account: Account.ID? = nil) async throws -> Bool {
        try await cancel([id], of: account) > 0
    }

    /// Takes tasks out of the queue, as ``cancel(_:of:)`` does one.
    ///
    /// - Returns: How many that were.
    ///
    /// Source: DL-12.
    @discardableResult
    public func cancel(_ ids: [String], of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        try await removeLeftPlaceholders()
        var count = 0
        for id in ids { count += try await store.remove(id, of: account) }
        try await removeLeftParts()
        return count
    }

    /// Takes all tasks that are not over out of the queue.
    ///
    /// Source: DL-12.
    @discardableResult
    public func cancelAll(of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        try await removeLeftPlaceholders()
        let count = try await store.remove(in: [.waiting, .running, .paused], of: account)
        try await removeLeftParts()
        return count
    }

    /// Lets tasks rest; what they have fetched stays. All, where no ids are given, and every account's, where none is.
    @discardableResult
    public func pause(_ ids: [String]? = nil, of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        return try await store.change(ids, of: account, from: [.waiting, .running], to: .paused)
    }

    /// Lets paused tasks go on.
    @discardableResult
    public func resume(_ ids: [String]? = nil, of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        return try await store.change(ids, of: account, from: [.paused], to: .waiting)
    }

    /// Tries again the files that failed, with both parts of a live photo, and at once the files that wait for a time, for
    /// example because their server asked for a pause.
    @discardableResult
    public func retryFailed(_ ids: [String]? = nil, of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        // In this order: a failed file of a paused host would wait by the time that it is counted again.
        return try await store.free(ids, of: account, now: now()) + store.retry(ids, of: account)
    }

    /// Forgets tasks that are over; their files stay, what has come of those that failed is dropped. All, where no ids
    /// are given.
    @discardableResult
    public func clear(_ ids: [String]? = nil, of account: Account.ID? = nil) async throws -> Int {
        let count =
            if let ids { try await store.forget(ids, of: account) } else {
                try await store.remove(in: [.done, .skipped(""), .failed("")], of: account)
            }
        try await removeLeftParts()
        return count
    }
}
