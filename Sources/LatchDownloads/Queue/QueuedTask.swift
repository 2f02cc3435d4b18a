public import FoundationEssentials
import HTTPClient

/// A task in the form in which the queue stores it.
public struct QueuedTask: Sendable, Hashable, Identifiable {
    /// The task's position in the queue. Positions are never reused.
    public let position: Int
    /// The task as it was added, with its query sealed.
    public var task: DownloadTask
    /// The state of the task.
    public var state: DownloadState
    /// Why the task waits until ``notBefore``, as a sentence. Nil when it does not wait for a time.
    public var waitReason: String?
    /// The number of failed attempts.
    public var attempts: Int
    /// The earliest time of the next attempt.
    public var notBefore: Date
    /// The length of the file in bytes. Nil when unknown.
    public var bytes: Int?
    /// The path where the file is or will be. Nil when not yet known.
    public var path: String?
    /// The resume point of its part. Nil when there is none.
    var resume: ResumePoint?
    /// The boot ID of the machine when the part was written.
    var boot: String?
    /// The digits that identify its queue in the names of parts.
    var partOwner: String
    /// Whether the part is complete.
    var isWhole: Bool
    /// The host of the task's server, with its port.
    public internal(set) var host: String

    /// The task's position in the queue.
    public var id: Int { position }

    /// Identifies the file of a task, even after the task was removed from the queue and added again. An asset is
    /// identified without the account, because two accounts may share it.
    struct Key: Hashable {
        var account: UUID?
        var id: DownloadTask.ID
    }

    var key: Key {
        ImmichAssetReading.isID(task.id)
            ? Key(account: nil, id: task.id.lowercased()) : Key(account: task.account, id: task.id)
    }

    /// The name of the task's part.
    var partName: String { PartName(owner: partOwner).of(task.account, task.id) }

    /// The name of the part into which both parts of a live photo are joined.
    var joinedPartName: String { PartName(owner: partOwner).joined(task.account, task.metadata.liveID ?? task.id) }

    /// The task with a file name in ASCII. Nil when its name is ASCII already.
    var plainlyNamed: QueuedTask? {
        guard let name = SafeFileName(task.filename).plain else { return nil }
        var row = self
        row.task.filename = name.text
        return row
    }
}
