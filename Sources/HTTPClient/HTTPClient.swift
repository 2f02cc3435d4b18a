import FoundationEssentials
import Wire

/// Speaks HTTP/1.1 and HTTP/2 with servers, through libcurl.
///
/// One client is one trust (see ``Configuration``), one pool of connections and one thread, which starts with the first
/// request. Clients are cheap to keep and costly to make: keep one for each server. A client that goes away without
/// ``close()`` ends its connections by itself.
///
/// Source: libcurl-multi(3).
public final class HTTPClient: Sendable {
    let configuration: Configuration
    let proxies: ProxyChoice
    let home: TransferLoop
    /// Where redirects to another origin go: the same loop if it would show nothing that another origin must not see.
    let elsewhere: TransferLoop

    /// Makes a client; no connection is made.
    ///
    /// - Throws: ``TransportError`` when a header cannot be sent, or a file of authorities or of the client certificate
    ///   cannot be read and used, or the proxy is none that can be used.
    public convenience init(_ configuration: Configuration = Configuration()) throws(TransportError) {
        try self.init(configuration, environment: ProcessInfo.processInfo.environment)
    }

    init(_ configuration: Configuration, environment: [String: String]) throws(TransportError) {
        try Self.check(configuration)
        self.configuration = configuration
        proxies = try ProxyChoice(configured: configuration.proxy, environment: environment)
        home = TransferLoop(try Trust(configuration))
        let isBare = configuration.pinnedCertificate == nil && configuration.clientCertificate == nil
        elsewhere = isBare ? home : TransferLoop(try Trust(elsewhere: configuration))
    }

    deinit {
        home.shutDown()
        elsewhere.shutDown()
    }

    /// Sends a request and takes the whole answer into memory.
    ///
    /// A redirect is handed over as it is unless ``ClientRequest/redirects`` asks to follow it. When it is followed,
    /// 303 makes a `GET`, as do 301 and 302 of a `POST`; another origin (scheme, host or port) gets no field but `Accept`,
    /// `Accept-Language`, `Range` and the conditions, no extra header, no body and no client certificate, and is judged
    /// by the authorities instead of the pin. From `https` to `http` and out of the web nothing is followed.
    ///
    /// Cancelling the task closes the connection (HTTP/2: resets the stream) and throws `CancellationError`.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` when the task was cancelled or the client closed meanwhile.
    ///
    /// Source: RFC 9110 §15.4.
    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        try await exchange(request, destination: nil, progress: nil).response
    }

    /// Sends a request and streams the body of a successful answer (2xx) to the file at `path`.
    ///
    /// The bytes go to `PATH.part` and are moved to `path` when they are whole and on the disk: on failure or
    /// cancellation that part is removed and the file at `path` is what it was before. The body of any other status
    /// stays in memory and no file is touched. Bytes are asked for uncompressed.
    ///
    /// - Parameters:
    ///   - request: As for ``send(_:)``; mind that ``ClientRequest/timeout`` bounds the whole download.
    ///   - path: The file to make or replace; its folder must be there.
    ///   - progress: Called after every piece on the client's own thread: it must return at once.
    /// - Returns: The answer, with an empty body if it went to the file.
    /// - Throws: As ``send(_:)``, and code ``TransportError/Code/file`` when the file cannot be written.
    public func download(
        _ request: ClientRequest, to path: String, progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws -> ClientResponse {
        let (response, file) = try await exchange(request, destination: path, progress: progress)
        try await file?.publish()
        return response
    }

    /// Cancels every request, closes every connection and waits for the client's thread to end. Later requests fail.
    public func close() async {
        await home.close()
        await elsewhere.close()
    }

    private static func check(_ configuration: Configuration) throws(TransportError) {
        try checkFields(configuration.extraHeaders)
        guard HTTPHeaders.isSafe(name: "User-Agent", value: configuration.userAgent) else {
            throw TransportError(
                .invalidRequest, "Could not use the user agent: it holds a control character; remove it.")
        }
    }
}
