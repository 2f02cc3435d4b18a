import CLibrary
import Synchronization
import TestSupport

/// Takes the place of a gateway behind a proxy, and counts the requests that it gets.
final class FakeGateway: Sendable {
    /// What happens to a request, except to `/readyz`, which always gets 200, to `/busy`, which always gets 503, and to
    /// `/closed`, which never gets a response.
    enum Behavior { case answers, closesConnection }

    private let listener: LoopbackListener
    private let count = Mutex(0)

    /// How many requests came, without those to `/readyz`.
    var requests: Int { count.withLock { $0 } }

    /// Listens at the port of the gateways. A request for another host than that of the example gets 421.
    init(at host: String, _ behavior: Behavior) throws {
        listener = try LoopbackListener(host: host, port: 2_283)
        listener.serve { [weak self] connection in
            let head = Self.head(from: connection)
            if !head.contains(" /readyz ") {
                self?.count.withLock { $0 += 1 }
                if behavior == .closesConnection || head.contains(" /closed ") { return }
            }
            let isForHost = head.lowercased().contains("\r\nhost: \(ManyMachines.host)\r\n")
            let status = head.contains(" /busy ") ? 503 : isForHost ? 200 : 421
            let response = Array("HTTP/1.1 \(status) -\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
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
