import CLibrary
import Synchronization

/// Waits for one link from another program of this user, such as the handler of a custom URL scheme.
///
/// Source: RFC 8252 §7.1.
package final class LinkReceiver: Sendable {
    /// The maximum length of a link, in bytes.
    package static let longestLink = 8_192

    /// A stream that yields the expected link and then ends.
    package let links: AsyncStream<String>
    private let acceptor: Acceptor
    private let folder: LinkFolder
    private let name: String

    /// Starts waiting under a name.
    ///
    /// - Parameters:
    ///   - name: The name of the socket in the folder: letters and digits.
    ///   - folder: The folder of the socket.
    ///   - isExpected: Returns whether a link is the expected one. Other links are refused without effect.
    /// - Throws: ``DesktopError/Code/taken``, ``DesktopError/Code/cannotListen``.
    package init(
        named name: String, in folder: LinkFolder, isExpected: @escaping @Sendable (String) -> Bool
    ) throws(DesktopError) {
        folder.removeStaleSockets()
        let descriptor = LocalSocket.listen(at: name, in: folder)
        guard descriptor >= 0 else {
            guard errno != EADDRINUSE else {
                throw DesktopError(.taken, "Another one of your programs is already waiting for the same link.")
            }
            throw DesktopError(
                .cannotListen, "Could not open a socket to wait for the browser: \(String(cString: strerror(errno))).")
        }
        self.folder = folder
        self.name = name
        let gate = LinkFilter(isExpected)
        links = gate.links
        acceptor = Acceptor(descriptor) { connection in
            guard LocalSocket.isOwn(connection) else { return }
            let bytes = LocalSocket.read(connection, limit: Self.longestLink + 1)
            guard bytes.count <= Self.longestLink, let link = String(validating: bytes, as: UTF8.self),
                gate.accept(link)
            else {
                LocalSocket.write(Array(LinkDelivery.refused.utf8), to: connection)
                return
            }
            LocalSocket.write(Array(LinkDelivery.taken.utf8), to: connection)
            gate.deliver(link)
        }
    }

    deinit {
        close()
    }

    /// Stops waiting and removes the socket.
    package func close() {
        acceptor.stop()
        folder.remove(name)
    }
}

/// Accepts the first expected link and refuses all others.
final class LinkFilter: Sendable {
    let links: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let isExpected: @Sendable (String) -> Bool
    private let isTaken = Mutex(false)

    init(_ isExpected: @escaping @Sendable (String) -> Bool) {
        self.isExpected = isExpected
        (links, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Returns whether the link is the first expected one. It is delivered separately, so that the sender gets its
    /// reply first.
    func accept(_ link: String) -> Bool {
        guard isExpected(link) else { return false }
        return isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func deliver(_ link: String) {
        continuation.yield(link)
        continuation.finish()
    }
}
