import Foundation
import Glibc

/// A socket that listens at a free port of `127.0.0.1`.
public struct LoopbackListener: Sendable {
    /// The descriptor; whoever has it closes it, and ``serve(_:)`` has it from when it is called.
    public let descriptor: Int32
    /// The port.
    public let port: Int

    /// Begins to listen, at a free port or at one that is held.
    ///
    /// - Throws: `POSIXError` when no descriptor or no port is free.
    public init(backlog: Int32 = 256, at held: HeldPort? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if held != nil {
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        guard let port = LoopbackAddress.bind(descriptor, port: held?.number ?? 0), listen(descriptor, backlog) == 0
        else {
            let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE)
            close(descriptor)
            throw error
        }
        self.port = port
    }

    /// Takes connections until ``end()`` and runs `body` for each on a thread of its own; the connection is closed after it.
    public func serve(_ body: @escaping @Sendable (Int32) -> Void) {
        Self.serve(descriptor, body)
    }

    /// Refuses connections from now on; to be called once.
    ///
    /// The thread that takes connections closes the socket: a number closed here could be another's before that thread
    /// looks again.
    public func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Does what ``serve(_:)`` does at a listening socket of any kind, and closes that once it was shut down.
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

    /// The next connection at a descriptor; negative when the socket was shut down. A connection that its client gave up
    /// before it was taken, a signal, and a moment without descriptors end no server.
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
