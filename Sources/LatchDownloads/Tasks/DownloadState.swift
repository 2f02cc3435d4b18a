/// The state of a task. A task is always in exactly one of these states, even after a crash.
///
/// Source: DL-8, DL-13.
public enum DownloadState: Sendable, Hashable {
    /// The task will be fetched. After a temporary failure it waits until ``QueuedTask/notBefore``.
    case waiting
    /// The task is being fetched.
    case running
    /// The task waits for ``DownloadQueue/resume(_:of:)``. Tasks of an account without a session are paused too.
    case paused
    /// The file is at its destination.
    case done
    /// There is nothing to fetch: the server no longer has the file, or it is here already. The string is the reason as
    /// a sentence.
    case skipped(String)
    /// The file could not be fetched. The string is a sentence that says why and what to do.
    case failed(String)

    /// The name of the state in the database and in JSON output.
    public var word: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .paused: "paused"
        case .done: "done"
        case .skipped: "skipped"
        case .failed: "failed"
        }
    }

    /// Whether the task has ended: it is done, skipped or failed.
    public var isOver: Bool {
        switch self {
        case .done, .skipped, .failed: true
        case .waiting, .running, .paused: false
        }
    }
}
