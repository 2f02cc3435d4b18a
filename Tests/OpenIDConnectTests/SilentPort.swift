import Glibc

/// A port that nobody else can have: it takes connections and never says a word, or is closed.
final class SilentPort: Sendable {
    let port: Int
    private let descriptor: Int32

    struct Failure: Error {}

    init(isOpen: Bool) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, count) | (isOpen ? listen(descriptor, 8) : 0)
                    | getsockname(descriptor, pointer, &count)
            }
        }
        guard status == 0 else { throw Failure() }
        port = Int(in_port_t(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
