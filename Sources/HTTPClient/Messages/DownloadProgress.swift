/// The progress of a download.
public struct DownloadProgress: Sendable, Equatable {
    /// The number of bytes written so far.
    public var received: Int
    /// The total number of bytes that the server announced. Nil when it did not.
    public var total: Int?

    /// Creates a progress value.
    public init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }
}
