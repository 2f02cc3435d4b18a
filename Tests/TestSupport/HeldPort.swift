import Glibc

/// A port of 127.0.0.1 that the system gives to nobody by itself while the value lives.
///
/// A server that is told its number can listen there, stop, and listen there again: in between no other program, and no
/// client's own end of a connection, gets the port. The value's socket never listens.
///
/// Source: socket(7), `SO_REUSEADDR`: two sockets with it may share an address while neither listens, or one does that was
/// bound later; bind(2) with port 0 and connect(2) leave such a port out.
public final class HeldPort: Sendable {
    /// The port's number.
    public let number: Int
    private let descriptor: Int32

    /// Takes a port that is free.
    ///
    /// - Throws: ``ChildProcess/Failure`` when there is none.
    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let held = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(held, $0, size) == 0 && getsockname(held, $0, &size) == 0
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        guard isBound else { throw ChildProcess.Failure("No port is free.") }
    }

    deinit { close(descriptor) }
}
