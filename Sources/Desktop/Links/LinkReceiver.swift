import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Waits for the one link that another program of this user hands over, as the handler of a custom scheme does.
///
/// Source: RFC 8252 §7.1.
public final class LinkReceiver: Sendable {
    /// The longest link, in bytes.
    public static let longestLink = 8_192

    /// The link; ends after it.
    public let links: AsyncStream<String>
    private let acceptor: Acceptor
    private let folder: LinkFolder
    private let name: String

    /// Begins to wait under a name.
    ///
    /// - Parameters:
    ///   - name: The socket's name in the folder; letters and digits.
    ///   - folder: Where.
    ///   - isExpected: Whether a link is the one; every other is refused and changes nothing.
    /// - Throws: ``DesktopError/Code/taken``, ``DesktopError/Code/cannotListen``.
    public init(
        named name: String, in folder: LinkFolder, isExpected: @escaping @Sendable (String) -> Bool
    ) throws(DesktopError) {
        folder.sweep()
        let descriptor = LocalSocket.listen(at: name, in: folder)
        guard descriptor >= 0 else {
            guard errno != EADDRINUSE else {
                throw DesktopError(.taken, "Another program of yours waits for the same link.")
            }
            throw DesktopError(
                .cannotListen, "Could not open a socket to wait for the browser: \(String(cString: strerror(errno))).")
        }
        self.folder = folder
        self.name = name
        let gate = LinkGate(isExpected)
        links = gate.links
        acceptor = Acceptor(descriptor) { connection in
            guard LocalSocket.isOwn(connection) else { return }
            let bytes = LocalSocket.read(connection, limit: Self.longestLink + 1)
            guard bytes.count <= Self.longestLink, let link = String(validating: bytes, as: UTF8.self),
                gate.take(link)
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

    /// Waits no more and removes the socket.
    public func close() {
        acceptor.stop()
        folder.remove(name)
    }
}

/// Lets the first expected link through, and it alone.
final class LinkGate: Sendable {
    let links: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let isExpected: @Sendable (String) -> Bool
    private let isTaken = Mutex(false)

    init(_ isExpected: @escaping @Sendable (String) -> Bool) {
        self.isExpected = isExpected
        (links, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether the link is the first expected one; it is not given on yet, so that its bringer is answered before.
    func take(_ link: String) -> Bool {
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
