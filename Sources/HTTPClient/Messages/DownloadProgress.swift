/// The progress of a download.
package struct DownloadProgress: Sendable, Equatable {
    /// The number of bytes written so far.
    package var received: Int
    /// The total number of bytes that the server announced. Nil when it did not.
    package var total: Int?

    /// Creates a progress value.
    package init(received: Int, total: Int?) {
        self.received = received
        self.total = total
    }
}
