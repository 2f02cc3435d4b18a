import CLibrary
import Synchronization
import TestSupport

/// Takes the place of a gateway behind a proxy, and counts the requests that it gets.
final class FakeGateway: Sendable {
    /// What happens to a request, except to `/readyz`, which is always answered with 200.
    enum Behavior { case answers, dies }

    private let listener: LoopbackListener
    private let count = Mutex(0)

    /// How many requests came, without those to `/readyz`.
    var requests: Int { count.withLock { $0 } }

    /// Listens at the port of the gateways. A gateway that dies closes the connection once it has received a request.
    init(at host: String, _ behavior: Behavior) throws {
        listener = try LoopbackListener(host: host, port: 2_283)
        listener.serve { [weak self] connection in
            let head = Self.head(from: connection)
            if !head.contains(" /readyz ") {
                self?.count.withLock { $0 += 1 }
                if behavior == .dies { return }
            }
            let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            _ = send(connection, response, response.count, Int32(MSG_NOSIGNAL))
        }
    }

    deinit { listener.end() }

    private static func head(from connection: Int32) -> String {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while Bytes.headEnd(in: received[...]) == nil {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        return String(decoding: received, as: UTF8.self)
    }
}
