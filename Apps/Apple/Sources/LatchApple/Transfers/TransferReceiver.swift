// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of a session. It moves each received file out of the system's temporary folder and reports it.
///
/// Source: https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate
final class TransferReceiver: NSObject, URLSessionDownloadDelegate {
    private let folder: URL
    private let report: @Sendable (TransferEvent) -> Void

    /// - Parameters:
    ///   - folder: The folder for received files, on the volume of the app's container.
    ///   - report: Receives the events, on the queue of the session.
    init(folder: URL, report: @escaping @Sendable (TransferEvent) -> Void) {
        self.folder = folder
        self.report = report
    }

    /// Moves the file before it returns, because the system then deletes it.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate/urlsession(_:downloadtask:didfinishdownloadingto:)
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard let name = TransferName(downloadTask.taskDescription) else { return }
        let target = folder.appendingPathComponent(name.filename)
        do {
            let files = FileManager.default
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            if files.fileExists(atPath: target.path) { try files.removeItem(at: target) }
            try files.moveItem(at: location, to: target)
        } catch {
            let reason = "The received file could not be stored. Check that the disk is not full."
            report(.failed(name, reason: reason, resumeData: nil))
            return
        }
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        report(.finished(name, status: status, path: target.path))
    }

    /// Source: https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate, its page
    /// `urlSession(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)`
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard let name = TransferName(downloadTask.taskDescription) else { return }
        report(.received(name, totalBytesWritten, of: totalBytesExpectedToWrite < 0 ? nil : totalBytesExpectedToWrite))
    }

    /// Source: https://developer.apple.com/documentation/foundation/urlsessiontaskdelegate/urlsession(_:task:didcompletewitherror:)
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let error, let name = TransferName(task.taskDescription) else { return }
        report(Self.event(of: name, error))
    }

    /// Returns the event for the error of a transfer.
    ///
    /// Source: https://developer.apple.com/documentation/foundation/nsurlsessiondownloadtaskresumedata
    static func event(of name: TransferName, _ error: any Error) -> TransferEvent {
        let error = error as NSError
        if error.domain == NSURLErrorDomain, error.code == NSURLErrorCancelled { return .cancelled(name) }
        return .failed(
            name, reason: error.localizedDescription,
            resumeData: error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    }

    /// Source: https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsessiondidfinishevents(forbackgroundurlsession:)
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { report(.allDelivered) }
}
