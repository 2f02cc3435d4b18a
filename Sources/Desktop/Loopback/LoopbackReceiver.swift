#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Waits for the one request by which a browser comes back: on a port of 127.0.0.1 that the system chooses.
///
/// Every other request is refused and changes nothing.
///
/// Source: RFC 8252 §7.3 and §8.3.
public final class LoopbackReceiver: Sendable {
    /// The address to come back to: `http://127.0.0.1:PORT` and the path.
    public let redirect: String
    /// The whole address that was called; ends after it.
    public let links: AsyncStream<String>
    private let acceptor: Acceptor

    /// Begins to wait.
    ///
    /// - Parameters:
    ///   - path: The path to come back to, as `/callback`.
    ///   - isExpected: Whether a called address is the one; the second argument is ``redirect``.
    /// - Throws: ``DesktopError/Code/cannotListen``.
    public init(path: String, isExpected: @escaping @Sendable (String, String) -> Bool) throws(DesktopError) {
        guard let (descriptor, port) = LocalSocket.listenOnLoopback() else {
            throw DesktopError(
                .cannotListen, "Could not open a port to wait for the browser: \(String(cString: strerror(errno))).")
        }
        let origin = "http://127.0.0.1:\(port)"
        let redirect = origin + path
        self.redirect = redirect
        let gate = LinkGate { isExpected($0, redirect) }
        links = gate.links
        acceptor = Acceptor(descriptor) { connection in
            let head = LocalSocket.read(connection, limit: LoopbackRequest.longestHead) {
                LoopbackRequest.isWhole($0)
            }
            guard let request = LoopbackRequest(head), request.host == "127.0.0.1:\(port)" else {
                LocalSocket.write(LoopbackPage.refused(400), to: connection)
                return
            }
            guard request.path == path else {
                LocalSocket.write(LoopbackPage.refused(404), to: connection)
                return
            }
            let link = origin + request.target
            guard gate.take(link) else {
                LocalSocket.write(LoopbackPage.refused(400), to: connection)
                return
            }
            let error = request.error
            LocalSocket.write(error.map(LoopbackPage.failed) ?? LoopbackPage.done, to: connection)
            gate.deliver(link)
        }
    }

    deinit {
        close()
    }

    /// Waits no more.
    public func close() {
        acceptor.stop()
    }
}
