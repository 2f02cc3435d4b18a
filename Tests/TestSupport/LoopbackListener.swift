import CLibrary
import Foundation

/// A listening socket on a port of a loopback address.
public struct LoopbackListener: Sendable {
    /// The descriptor. Its owner must close it; ``serve(_:)`` takes ownership of it.
    public let descriptor: Int32
    /// The port number.
    public let port: Int

    /// Starts listening on a free port of `127.0.0.1` or on a reserved one.
    ///
    /// - Throws: `POSIXError` when no descriptor or port is free.
    public init(backlog: Int32 = 256, at held: HeldPort? = nil) throws {
        try self.init(backlog: backlog, host: "127.0.0.1", port: held?.number)
    }

    /// Starts listening on a port of a loopback address, by default on a free one.
    ///
    /// - Throws: `POSIXError` when no descriptor is free or the port is used.
    public init(backlog: Int32 = 256, host: String, port chosen: Int?) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if chosen != nil {
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        guard let port = LoopbackAddress.bind(descriptor, host: host, port: chosen ?? 0),
            listen(descriptor, backlog) == 0
        else {
            let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE)
            close(descriptor)
            throw error
        }
        self.port = port
    }

    /// Accepts connections until ``end()`` and runs `body` for each on its own thread. The connection is closed
    /// afterwards.
    public func serve(_ body: @escaping @Sendable (Int32) -> Void) {
        Self.serve(descriptor, body)
    }

    /// Stops accepting connections. Call this once only.
    ///
    /// The accepting thread closes the socket. If this function did, the descriptor could be reused before the next
    /// `accept`.
    public func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Does the same as ``serve(_:)`` for any kind of listening socket, and closes the socket after it was shut down.
    public static func serve(_ descriptor: Int32, _ body: @escaping @Sendable (Int32) -> Void) {
        BackgroundThread.start {
            while case let connection = accepted(at: descriptor), connection >= 0 {
                BackgroundThread.start {
                    body(connection)
                    close(connection)
                }
            }
            close(descriptor)
        }
    }

    /// Returns the next connection, or a negative number when the socket was shut down. An aborted connection, a signal
    /// or a temporary lack of descriptors does not end the server.
    ///
    /// Source: accept(2), ERRORS.
    private static func accepted(at descriptor: Int32) -> Int32 {
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection < 0, [ECONNABORTED, EINTR, EMFILE, ENFILE, EPROTO].contains(errno) else {
                return connection
            }
            if errno == EMFILE || errno == ENFILE { usleep(1_000) }
        }
    }
}
