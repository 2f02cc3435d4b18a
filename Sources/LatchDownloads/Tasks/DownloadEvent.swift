/// What a queue tells while it works; one stream of these tells everything.
///
/// Source: DL-7, DL-8, DL-9.
public enum DownloadEvent: Sendable, Equatable {
    /// So many bytes of a file have come, of so many where the server told; some times a second at most.
    case progress(id: String, received: Int, total: Int?)
    /// A task stands otherwise now.
    case status(id: String, DownloadState)
    /// A file is whole and in its place.
    case complete(id: String, path: String)
    /// A task has failed or was skipped; the others go on.
    case error(id: String, String)
    /// All tasks together; some times a second at most.
    case overall(OverallProgress)
    /// The queue waits, as a whole or for one server, or goes on; nil for going on. The sentence says for what: room on
    /// the disk, the network, a sign-in, a server that cannot be reached. What a command changes is not told.
    case held(String?)
}

/// How far all tasks of a queue have come.
public struct OverallProgress: Sendable, Equatable {
    /// Tasks whose files are in their places.
    public var done = 0
    /// Tasks with nothing to fetch.
    public var skipped = 0
    /// Tasks that failed.
    public var failed = 0
    /// Tasks that wait, run or are paused.
    public var open = 0
    /// Bytes that have come.
    public var received = 0
    /// Bytes in all, where every task's length is known.
    public var total: Int?
    /// Bytes a second, over the last seconds.
    public var rate = 0.0
    /// Seconds until all are done at that rate, where it can be told.
    public var secondsLeft: Int?

    /// Nothing done.
    public init() {}
}
