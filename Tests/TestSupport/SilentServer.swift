import Glibc

/// A server that lets clients connect and never says a word.
public final class SilentServer: Sendable {
    /// The port at `127.0.0.1`.
    public let port: Int
    private let descriptor: Int32

    /// Begins to listen.
    public init() throws {
        let listener = try LoopbackListener(backlog: 8)
        (descriptor, port) = (listener.descriptor, listener.port)
    }

    deinit { close(descriptor) }

    /// Returns once somebody has connected.
    public func waitForClient() {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, -1) < 0, errno == EINTR {}
    }
}
