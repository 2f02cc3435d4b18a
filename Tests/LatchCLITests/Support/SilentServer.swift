import Foundation

/// A server that takes one connection and never says a word.
final class SilentServer {
    struct Failure: Error {}

    let port: UInt16
    private let listener: Int32
    private var client: Int32 = -1

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw Failure() }
    }

    /// Waits until somebody has connected.
    func waitForClient() throws {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 30_000) == 1 else { throw Failure() }
        client = accept(listener, nil, nil)
    }

    deinit {
        if client >= 0 { close(client) }
        close(listener)
    }
}
