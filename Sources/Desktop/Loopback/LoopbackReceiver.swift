import CLibrary

/// Waits for the browser's redirect, on a port of 127.0.0.1 that the system chooses.
///
/// Other requests are refused without effect.
///
/// Source: RFC 8252 §7.3 and §8.3.
package final class LoopbackReceiver: Sendable {
    /// The redirect URI: `http://127.0.0.1:PORT` and the path.
    package let redirect: String
    /// A stream that yields the complete URL of the redirect and then ends.
    package let links: AsyncStream<String>
    private let acceptor: Acceptor

    /// Starts waiting.
    ///
    /// - Parameters:
    ///   - path: The path of the redirect URI, such as `/callback`.
    ///   - server: The name of the server that the person signs in to, for the page at the end.
    ///   - isExpected: Returns whether a requested URL is the expected one. The second argument is ``redirect``.
    /// - Throws: ``DesktopError/Code/cannotListen``.
    package init(
        path: String, server: String, isExpected: @escaping @Sendable (String, String) -> Bool
    ) throws(DesktopError) {
        guard let (descriptor, port) = LocalSocket.listenOnLoopback() else {
            throw DesktopError(
                .cannotListen, "Could not open a port to wait for the browser: \(String(cString: strerror(errno))).")
        }
        let origin = "http://127.0.0.1:\(port)"
        let redirect = origin + path
        self.redirect = redirect
        let gate = LinkFilter { isExpected($0, redirect) }
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
            guard gate.accept(link) else {
                LocalSocket.write(LoopbackPage.refused(400), to: connection)
                return
            }
            let error = request.error
            LocalSocket.write(error.map(LoopbackPage.failed) ?? LoopbackPage.done(server), to: connection)
            gate.deliver(link)
        }
    }

    deinit {
        close()
    }

    /// Stops waiting.
    package func close() {
        acceptor.stop()
    }
}
