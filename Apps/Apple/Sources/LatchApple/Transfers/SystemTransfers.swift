// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Downloads that the system runs, also while the app is not running. Create it at every start of the app, so that the
/// system can deliver what ended in the meantime.
///
/// Source: DL-17; https://developer.apple.com/documentation/foundation/downloading-files-in-the-background
public struct SystemTransfers: Sendable {
    /// The events of all transfers, in order. One consumer at a time.
    public let events: AsyncStream<TransferEvent>

    private let session: URLSession

    /// Connects to the session with these settings.
    ///
    /// - Parameters:
    ///   - settings: The settings. Two sessions with one identifier must not exist at the same time.
    ///   - folder: The folder for received files.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsession/init(configuration:delegate:delegatequeue:)
    public init(_ settings: TransferSettings = .downloads, folder: URL) {
        let (events, continuation) = AsyncStream.makeStream(of: TransferEvent.self)
        self.events = events
        session = URLSession(
            configuration: settings.configuration(),
            delegate: TransferReceiver(folder: folder) { continuation.yield($0) }, delegateQueue: nil)
    }

    /// Starts a download.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsession/downloadtask(with:)
    public func start(_ request: URLRequest, as name: TransferName) {
        start(session.downloadTask(with: request), as: name)
    }

    /// Continues a download that was paused or that failed.
    ///
    /// The system requests the rest only when the file has a validator that still holds. Otherwise it starts from the
    /// beginning.
    ///
    /// - Parameters:
    ///   - resumeData: The value of ``pause(_:)`` or of ``TransferEvent/failed(_:reason:resumeData:)``. It contains the
    ///     header fields of the request, the token among them, so it must be stored as a secret.
    ///   - name: The name of the paused download.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsession/downloadtask(withresumedata:)
    public func resume(_ resumeData: Data, as name: TransferName) {
        start(session.downloadTask(withResumeData: resumeData), as: name)
    }

    /// Cancels a download so that it can be continued.
    ///
    /// - Returns: The value for ``resume(_:as:)``. Nil when there is no such download, or when it cannot be continued.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsessiondownloadtask/cancel(byproducingresumedata:)
    public func pause(_ name: TransferName) async -> Data? {
        await transfers(named: name).first?.cancelByProducingResumeData()
    }

    /// Returns the names of the transfers that are not complete.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsession/alltasks
    public func running() async -> [TransferName] {
        await session.allTasks.compactMap { TransferName($0.taskDescription) }
    }

    /// Cancels a transfer. Does nothing when there is none with this name.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsessiontask/cancel()
    public func cancel(_ name: TransferName) async {
        for transfer in await transfers(named: name) { transfer.cancel() }
    }

    /// Names a transfer, and starts it.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsessiontask/resume()
    private func start(_ transfer: URLSessionDownloadTask, as name: TransferName) {
        transfer.taskDescription = name.description
        transfer.resume()
    }

    /// Returns the transfers with a name that are not complete: one, or none.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsession/alltasks
    private func transfers(named name: TransferName) async -> [URLSessionDownloadTask] {
        await session.allTasks.compactMap { $0 as? URLSessionDownloadTask }.filter {
            TransferName($0.taskDescription) == name
        }
    }
}
