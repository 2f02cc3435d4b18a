// A stand-in of what the adapters use of this framework, written from its documentation, to type-check them on Linux.
// It does nothing, proves nothing about an Apple system, and was never run on one.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// It replaces the module of the same name of the Linux toolchain, which has no background sessions. The classes are
// unchecked Sendable because Apple documents them as Sendable; nothing here is shared between threads.

public import Foundation

// Source: https://developer.apple.com/documentation/foundation/urlsessionconfiguration
public class URLSessionConfiguration: NSObject, @unchecked Sendable {
    public let identifier: String?
    public var sessionSendsLaunchEvents = false
    public var isDiscretionary = false
    public var waitsForConnectivity = false
    public var allowsExpensiveNetworkAccess = true
    public var allowsConstrainedNetworkAccess = true
    public var httpMaximumConnectionsPerHost = 4
    public var timeoutIntervalForRequest: TimeInterval = 60
    public var httpShouldSetCookies = true
    public var httpCookieStorage: HTTPCookieStorage? = HTTPCookieStorage()
    public var urlCache: URLCache? = URLCache()
    public var urlCredentialStorage: URLCredentialStorage? = URLCredentialStorage()

    private init(identifier: String?) { self.identifier = identifier }

    public class var ephemeral: URLSessionConfiguration { URLSessionConfiguration(identifier: nil) }
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        URLSessionConfiguration(identifier: identifier)
    }
}
public class HTTPCookieStorage: NSObject, @unchecked Sendable {}
public class URLCache: NSObject, @unchecked Sendable {}
public class URLCredentialStorage: NSObject, @unchecked Sendable {}

// Source: https://developer.apple.com/documentation/foundation/urlrequest and httpurlresponse
public struct URLRequest: Sendable {
    public init(url: URL) {}
}
public class URLResponse: NSObject, @unchecked Sendable {}
public class HTTPURLResponse: URLResponse, @unchecked Sendable { public let statusCode = 0 }

// Source: https://developer.apple.com/documentation/foundation/urlsessiontask
public class URLSessionTask: NSObject, @unchecked Sendable {
    public var taskDescription: String?
    public let response: URLResponse? = nil
    public func resume() {}
    public func cancel() {}
}
public class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    // The asynchronous form of `cancel(byProducingResumeData:)`.
    public func cancelByProducingResumeData() async -> Data? { nil }
}

// Source: https://developer.apple.com/documentation/foundation/urlsession
public class URLSession: NSObject, @unchecked Sendable {
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {}
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { URLSessionDownloadTask() }
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask { URLSessionDownloadTask() }
    public var allTasks: [URLSessionTask] { get async { [] } }
}

// Source: https://developer.apple.com/documentation/foundation/nsurlsessiondownloadtaskresumedata
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

// Source: https://developer.apple.com/documentation/foundation/urlsessiondownloaddelegate and the protocols it inherits.
// Some of the methods are optional there.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
}
