import FoundationEssentials
import HTTPMessages

/// An HTTP client for HTTP/1.1 and HTTP/2, of the system's transfer engine (see ``Transferring``).
///
/// A client has one trust (see ``Configuration``), one pool of connections and one thread, which starts with the first
/// request. Clients are cheap to keep but expensive to create: keep one for each server. A client that is deallocated
/// without ``close()`` closes its connections.
package final class HTTPClient: Sendable {
    /// The configuration of the client.
    package let configuration: Configuration
    let proxies: ProxyChoice
    let home: any Transferring
    /// The engine for redirects to another origin. It is the same as ``home`` when that has neither a pin nor a client
    /// certificate.
    let elsewhere: any Transferring

    /// Creates a client. No connection is opened.
    ///
    /// - Throws: ``TransportError`` when a header field cannot be sent, the file of the authorities or of the client
    ///   certificate cannot be used, or the proxy is not supported.
    package convenience init(_ configuration: Configuration = Configuration()) throws(TransportError) {
        try self.init(configuration, environment: ProcessInfo.processInfo.environment)
    }

    init(_ configuration: Configuration, environment: [String: String]) throws(TransportError) {
        try Self.check(configuration)
        self.configuration = configuration
        proxies = try ProxyChoice(configured: configuration.proxy, environment: environment)
        home = TransferEngine(try Trust(configuration))
        let isBare = configuration.pinnedCertificate == nil && configuration.clientCertificate == nil
        elsewhere = isBare ? home : TransferEngine(try Trust(elsewhere: configuration))
    }

    deinit {
        home.shutDown()
        elsewhere.shutDown()
    }

    /// Sends a request and reads the complete response into memory.
    ///
    /// A redirect is returned to the caller unless ``ClientRequest/redirects`` asks to follow it. When a redirect is
    /// followed, 303 changes any method except `HEAD` to `GET`, as do 301 and 302 for a `POST`. Another origin (scheme,
    /// host or port) gets only the header fields `Accept`, `Accept-Encoding`, `Accept-Language`, `Range` and the
    /// conditions. It gets no extra header fields, no body and no client certificate, and its certificate is verified
    /// by the authorities instead of the pin. A redirect from `https` to `http` or to another scheme is never followed.
    ///
    /// Cancelling the task closes the connection (HTTP/2: resets the stream) and throws `CancellationError`.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` when the task was cancelled or the client was closed
    ///   meanwhile.
    ///
    /// Source: RFC 9110 §15.4.
    package func send(_ request: ClientRequest) async throws -> ClientResponse {
        try await exchange(request, nil)
    }

    /// An executor that runs tasks on the thread of the client's transfers. It avoids waking another thread for each
    /// transfer of a task that does little more than transfers in sequence. Such a task must not block.
    package var executor: any TaskExecutor { home }

    /// Cancels all requests, closes all connections and waits for the client's thread to end. Later requests fail.
    package func close() async {
        await home.close()
        await elsewhere.close()
    }

    /// Runs `body` with the client and then closes the client, also when `body` throws.
    ///
    /// A program may exit afterwards: the client's thread has ended, so it no longer uses OpenSSL while the exit
    /// handlers of the process release it.
    package func closeAfter<Result, Failure>(
        _ body: (HTTPClient) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure>
        do throws(Failure) { outcome = .success(try await body(self)) } catch { outcome = .failure(error) }
        await close()
        return try outcome.get()
    }

    private static func check(_ configuration: Configuration) throws(TransportError) {
        try checkFields(configuration.extraHeaders)
        guard HTTPHeaders.isSafe(name: "User-Agent", value: configuration.userAgent) else {
            throw TransportError(
                .invalidRequest, "Could not use the user agent: it contains a control character; remove it.")
        }
    }
}
