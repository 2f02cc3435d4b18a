import Glibc

/// A port of 127.0.0.1 that the system gives to nobody by itself while the value lives, and that refuses connections.
///
/// A server that is told its number can listen there, stop, and listen there again: in between no other program, and no
/// client's own end of a connection, gets the port. The value's socket never listens. A port that a stopped server left
/// behind, and that nobody holds, may be another test's server the next moment.
///
/// Source: socket(7), `SO_REUSEADDR`: two sockets with it may share an address while neither listens, or one does that was
/// bound later; bind(2) with port 0 and connect(2) leave such a port out.
public final class HeldPort: Sendable {
    /// The port's number.
    public let number: Int
    private let descriptor: Int32

    /// Takes a free port.
    ///
    /// - Throws: ``ChildProcess/Failure`` when none is free.
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
