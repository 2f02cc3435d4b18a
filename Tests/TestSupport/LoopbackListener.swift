import Foundation
import Glibc

/// A socket that listens at a free port of `127.0.0.1`.
public struct LoopbackListener: Sendable {
    /// The descriptor; whoever has it closes it.
    public let descriptor: Int32
    /// The port.
    public let port: Int

    /// The next connection at a descriptor; negative when the socket was shut down. A connection that its client gave up
    /// before it was taken, a signal, and a moment without descriptors end no server.
    ///
    /// Source: accept(2), ERRORS.
    public static func accepted(at descriptor: Int32) -> Int32 {
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection < 0, [ECONNABORTED, EINTR, EMFILE, ENFILE, EPROTO].contains(errno) else {
                return connection
            }
            if errno == EMFILE || errno == ENFILE { usleep(1_000) }
        }
    }

    /// Begins to listen.
    public init(backlog: Int32 = 256) throws {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(made, raw, size) == 0 && listen(made, backlog) == 0 && getsockname(made, raw, &size) == 0
            }
        }
        guard isBound else {
            close(made)
            throw POSIXError(.EADDRINUSE)
        }
        descriptor = made
        port = Int(UInt16(bigEndian: address.sin_port))
    }
}
