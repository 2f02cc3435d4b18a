import CLibrary

/// A reserved port of 127.0.0.1. While the value exists, the system does not assign the port to others, and it refuses
/// connections.
///
/// A server that is given the number can listen on the port, stop and listen again. In between neither another program
/// nor the client end of a connection gets the port. The socket of this value never listens. A port that is not
/// reserved may be used by the server of another test as soon as the first server stops.
///
/// Source: socket(7), `SO_REUSEADDR`: two sockets with this option may share an address if neither listens, or if only
/// the one that was bound later does; bind(2) with port 0 and connect(2) skip such a port.
public final class HeldPort: Sendable {
    /// The port number.
    public let number: Int
    private let descriptor: Int32

    /// Reserves a free port.
    ///
    /// - Throws: ``ChildProcess/Failure`` when no port is free.
    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard let bound = LoopbackAddress.bind(descriptor) else {
            close(descriptor)
            throw ChildProcess.Failure("No port is free.")
        }
        self.number = bound
    }

    deinit { close(descriptor) }
}
