// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import Foundation

/// An event of a transfer of the system.
public enum TransferEvent: Sendable, Equatable {
    /// Bytes were received. The total is nil when the server does not say it.
    case received(TransferName, Int64, of: Int64?)
    /// The response is complete, in a file that belongs to the receiver of this event. The status tells whether it is the
    /// file that was asked for or the page of an error.
    case finished(TransferName, status: Int, path: String)
    /// The transfer failed without a complete response. With the resume data, ``SystemTransfers/resume(_:as:)`` continues
    /// it.
    case failed(TransferName, reason: String, resumeData: Data?)
    /// The transfer was paused or cancelled.
    case cancelled(TransferName)
    /// The system delivered all events of transfers that ended while the app was not running. The app may be suspended
    /// again.
    case allDelivered
}
