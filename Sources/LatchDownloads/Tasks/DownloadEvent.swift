/// An event of a download queue. One stream reports the events of all tasks.
///
/// Source: DL-7, DL-8, DL-9.
public enum DownloadEvent: Sendable, Equatable {
    /// The bytes received for a file, and its length when known. Sent a few times a second at most.
    case progress(id: String, received: Int, total: Int?)
    /// The state of a task changed.
    case status(id: String, DownloadState)
    /// A file is complete and at its destination.
    case complete(id: String, path: String)
    /// A task failed or was skipped; the string is the reason as a sentence. Other tasks continue.
    case error(id: String, String)
    /// The progress of all tasks together. Sent a few times a second at most.
    case overall(OverallProgress)
    /// The queue or one host pauses, or continues. The reason is, for example, a full disk, the
    /// network, a required sign-in, an unreachable server. Nil means that the queue continues. Pausing and resuming by
    /// commands does not send this event.
    case pauseReasonChanged(WaitReason?)
}

/// The progress of all tasks of a queue.
public struct OverallProgress: Sendable, Hashable {
    /// The number of tasks whose files are at their destinations.
    public var done = 0
    /// The number of tasks with nothing to fetch.
    public var skipped = 0
    /// The number of tasks that failed.
    public var failed = 0
    /// The number of tasks that wait, run or are paused.
    public var open = 0
    /// Bytes received so far: the finished files, and the parts of all others.
    public var received = 0
    /// The total length in bytes of all tasks that are not skipped. Nil when a length is unknown that a done or open task
    /// needs.
    public var total: Int?
    /// The transfer rate in bytes per second, averaged over the last few seconds.
    public var rate = 0.0
    /// The estimated number of seconds until all tasks are done at the current ``rate``. Nil when it cannot be
    /// estimated.
    public var secondsLeft: Int?

    /// Creates a progress with all counts zero.
    public init() {}
}
