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
    /// How it connects, and what it adds to every request.
    public let configuration: Configuration
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
    /// `Accept-Encoding`, `Accept-Language`, `Range` and the conditions, no extra header, no body and no client certificate, and is judged
    /// by the authorities instead of the pin. From `https` to `http` and out of the web nothing is followed.
    ///
    /// Cancelling the task closes the connection (HTTP/2: resets the stream) and throws `CancellationError`.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` when the task was cancelled or the client closed meanwhile.
    ///
    /// Source: RFC 9110 §15.4.
    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        try await exchange(request, nil)
    }

    /// The thread of the client's transfers, for tasks that do little more than transfers one after the other: then no other
    /// thread is woken for each. What such a task does between them must not block.
    public var executor: any TaskExecutor { home }

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
