public import FoundationEssentials
import HTTPClient

/// A task as the queue keeps it.
public struct QueuedTask: Sendable, Identifiable {
    /// Its place in the queue; another task's never.
    public let position: Int
    /// The task.
    public var task: DownloadTask
    /// Where it stands.
    public var state: DownloadState
    /// Why it waits until ``notBefore``; nil when it does not wait for a time.
    public var waitsBecause: String?
    /// How often it was tried in vain.
    public var attempts: Int
    /// Before when it is not tried again.
    public var notBefore: Date
    /// The length of its file in bytes; nil when no server told it.
    public var bytes: Int?
    /// Where its file is, or is to be.
    public var path: String?
    /// What its part holds.
    var resume: ResumePoint?
    /// The start of the machine in which the part was written.
    var boot: String?
    /// Whether the part needs nothing more from the server.
    var isWhole: Bool
    /// The host that it comes from, with its port.
    public internal(set) var host: String

    /// The queue's number of it.
    public var id: Int { position }

    /// Identifies the file of a task, also after the task was removed from the queue and added again. For an asset the account
    /// does not matter; two accounts may share it.
    struct Key: Hashable {
        var account: UUID?
        var id: DownloadTask.ID
    }

    var key: Key {
        ImmichAssetReading.isID(task.id)
            ? Key(account: nil, id: task.id.lowercased()) : Key(account: task.account, id: task.id)
    }

    /// The task with a name in ASCII alone; nil where it has one.
    var plainlyNamed: QueuedTask? {
        guard let name = SafeFileName(task.filename).plain else { return nil }
        var row = self
        row.task.filename = name.text
        return row
    }
}
