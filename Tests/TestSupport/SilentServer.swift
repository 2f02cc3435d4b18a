import CLibrary

/// A server that accepts connections and never sends anything.
public final class SilentServer: Sendable {
    /// The port on `127.0.0.1`.
    public let port: Int
    private let descriptor: Int32

    /// Starts listening.
    public init() throws {
        let listener = try LoopbackListener(backlog: 8)
        (descriptor, port) = (listener.descriptor, listener.port)
    }

    deinit { close(descriptor) }

    /// Waits until a client has connected.
    public func waitForClient() {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, -1) < 0, errno == EINTR {}
    }
}
