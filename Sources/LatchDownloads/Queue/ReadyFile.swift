import HTTPClient

/// A complete file that is ready to be moved to its destination.
struct ReadyFile: Sendable {
    let row: QueuedTask
    /// Its part, if it is still open.
    var part: DownloadPart?

    /// The number of bytes that are not moved yet. 0 when the part is not open, because it was counted before.
    var bytes: Int { part?.count ?? 0 }
}
