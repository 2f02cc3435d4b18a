/// The files that are being fetched or moved. Two tasks may have the same file, for example when two accounts share an
/// asset, or when a task was removed and added again.
struct ActiveFiles {
    private var active: Set<QueuedTask.Key> = []
    /// The tasks that have to wait for another task with the same file, by position.
    private var contended: [Int: QueuedTask.Key] = [:]

    /// Claims the file of a task. Returns false when another task has it; the task then has to wait.
    mutating func claim(_ row: QueuedTask) -> Bool {
        guard active.insert(row.key).inserted else {
            contended[row.position] = row.key
            return false
        }
        return true
    }

    /// Whether a task had to wait for another one with the same file, which may exist now.
    func hadToWait(_ row: QueuedTask) -> Bool { contended[row.position] != nil }

    /// Records that a task is no longer being fetched.
    mutating func fetchEnded(_ row: QueuedTask) { contended[row.position] = nil }

    /// Releases the file of a task. Returns whether another task waits for it.
    mutating func release(_ row: QueuedTask) -> Bool {
        active.remove(row.key) != nil && contended.values.contains(row.key)
    }

    /// Clears which tasks had to wait.
    mutating func clearContended() { contended = [:] }
}
