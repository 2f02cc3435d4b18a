public import FoundationEssentials
public import LatchKit

/// Commands on waiting, running and ended tasks. This program or another one with the same accounts may give them.
///
/// Source: DL-12.
extension DownloadQueue {
    /// Removes a task from the queue, together with the other part of a live photo. Received bytes are deleted. A file
    /// of a task that is done is kept. A file that is being moved to its destination at that time is removed.
    ///
    /// - Returns: Whether the task was in the queue and had not ended.
    /// - Throws: The codes of the storage.
    ///
    /// Source: DL-12.
    @discardableResult
    public func cancel(_ id: String, of account: Account.ID? = nil) async throws -> Bool {
        try await cancel([id], of: account) > 0
    }

    /// Removes tasks from the queue, as ``cancel(_:of:)`` does for a single task.
    ///
    /// - Returns: The number of removed tasks.
    /// - Throws: The codes of the storage.
    ///
    /// Source: DL-12.
    @discardableResult
    public func cancel(_ ids: [String], of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        try await placer.completeMoves()
        var count = 0
        for id in ids { count += try await store.remove(id, of: account) }
        try await folder.removePartsAfterCommand { machine.activeTasks }
        return count
    }

    /// Removes all unfinished tasks from the queue.
    ///
    /// - Parameter account: The account of the tasks. Nil for every account.
    /// - Returns: The number of removed tasks.
    /// - Throws: The codes of the storage.
    ///
    /// Source: DL-12.
    @discardableResult
    public func cancelAll(of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        try await placer.completeMoves()
        let count = try await store.remove(in: [.waiting, .running, .paused], of: account)
        try await folder.removePartsAfterCommand { machine.activeTasks }
        return count
    }

    /// Pauses tasks and keeps their received bytes.
    ///
    /// - Parameters:
    ///   - ids: The tasks. Nil for all.
    ///   - account: The account of the tasks. Nil for every account.
    /// - Returns: The number of tasks that changed.
    /// - Throws: The codes of the storage.
    @discardableResult
    public func pause(_ ids: [String]? = nil, of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        // Files that only wait for their account are paused by the person from now on.
        _ = try await store.change(ids, of: account, from: [.paused], to: .paused)
        return try await store.change(ids, of: account, from: [.waiting, .running], to: .paused)
    }

    /// Resumes paused tasks.
    ///
    /// - Parameters:
    ///   - ids: The tasks. Nil for all.
    ///   - account: The account of the tasks. Nil for every account.
    /// - Returns: The number of tasks that changed.
    /// - Throws: The codes of the storage.
    @discardableResult
    public func resume(_ ids: [String]? = nil, of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        return try await store.change(ids, of: account, from: [.paused], to: .waiting)
    }

    /// Resumes the tasks that were paused because their account was signed out or locked. Tasks that a person paused
    /// stay paused.
    ///
    /// - Returns: The number of tasks that changed.
    /// - Throws: The codes of the storage.
    @discardableResult
    package func resumeHeld(of account: Account.ID) async throws -> Int {
        defer { commanded() }
        return try await store.resume(account: account)
    }

    /// Retries failed tasks, together with the other part of a live photo. Tasks that wait for a time are tried at
    /// once, for example when their server asked for a delay.
    ///
    /// - Parameters:
    ///   - ids: The tasks. Nil for all.
    ///   - account: The account of the tasks. Nil for every account.
    /// - Returns: The number of tasks that changed.
    /// - Throws: The codes of the storage.
    @discardableResult
    public func retryFailed(_ ids: [String]? = nil, of account: Account.ID? = nil) async throws -> Int {
        defer { commanded() }
        // In this order, because a retried task of a paused host becomes a waiting task and would be counted twice.
        return try await store.free(ids, of: account, now: context.now()) + store.retry(ids, of: account)
    }

    /// Removes ended tasks from the queue. Their files are kept. Received bytes of failed tasks are deleted.
    ///
    /// - Parameters:
    ///   - ids: The tasks. Nil for all.
    ///   - account: The account of the tasks. Nil for every account.
    /// - Returns: The number of removed tasks.
    /// - Throws: The codes of the storage.
    @discardableResult
    public func clear(_ ids: [String]? = nil, of account: Account.ID? = nil) async throws -> Int {
        let count =
            if let ids { try await store.removeEndedTasks(ids, of: account) } else {
                try await store.remove(in: [.done, .skipped(""), .failed("")], of: account)
            }
        try await folder.removePartsAfterCommand { machine.activeTasks }
        return count
    }
}
