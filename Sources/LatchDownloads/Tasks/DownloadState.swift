/// Where a task stands; nothing else is possible, also after a crash.
///
/// Source: DL-8, DL-13.
public enum DownloadState: Sendable, Hashable {
    /// It will be fetched; after a failure that may pass, not before its time has come again.
    case waiting
    /// It is being fetched.
    case running
    /// It is fetched when somebody says so, or when what held it up is over.
    case paused
    /// Its file is in its place.
    case done
    /// There is nothing to fetch: the server has it no more, or it is here already; the sentence says which.
    case skipped(String)
    /// It could not be fetched; the sentence says why and what to do.
    case failed(String)

    /// The word that the queue's file and JSON use.
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

    /// Whether it is over.
    public var isOver: Bool {
        switch self {
        case .done, .skipped, .failed: true
        case .waiting, .running, .paused: false
        }
    }
}
