/// How far a download has come.
public struct DownloadProgress: Sendable, Equatable {
    /// Bytes written so far.
    public var received: Int
    /// Bytes that the server announced, when it did.
    public var total: Int?

    /// Makes a progress.
    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }
}
