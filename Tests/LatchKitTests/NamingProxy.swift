import CLibrary
import Foundation
import Synchronization
import TestSupport

/// A proxy that alone knows where one name leads, and remembers what went by it.
///
/// Source: RFC 9110 §9.3.6; RFC 9112 §3.2.2.
final class NamingProxy: Sendable {
    private struct State {
        var tunnels: [String] = []
        var heads: [String] = []
    }

    private let name: String
    private let target: Int
    private let listener: LoopbackListener
    private let state = Mutex(State())

    /// Opens it: `name` leads to `target` of this machine, whatever the port; addresses of this machine lead to themselves.
    init(_ name: String, leadsTo target: Int) throws {
        (self.name, self.target, listener) = (name, target, try LoopbackListener())
        listener.serve { [weak self] in self?.serve($0) }
    }

    deinit { listener.end() }

    var port: Int { listener.port }
    /// Where tunnels led to, as the client named it.
    var tunnels: [String] { state.withLock(\.tunnels) }
    /// The heads of requests that came in the clear.
    var heads: [String] { state.withLock(\.heads) }

    private func serve(_ client: Int32) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while received.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            received += buffer[..<count]
        }
        let text = String(decoding: received, as: UTF8.self)
        let requestLine = text.prefix { $0 != "\r\n" }.split(separator: " ")
        guard requestLine.count == 3 else { return }
        if requestLine[0] == "CONNECT" {
            state.withLock { $0.tunnels.append(String(requestLine[1])) }
            relay(client, to: String(requestLine[1]), first: [], response: "HTTP/1.1 200 Connected\r\n\r\n")
        } else if requestLine[1].hasPrefix("http://") {
            state.withLock { $0.heads.append(text) }
            let target = requestLine[1].dropFirst("http://".count)
            let authority = String(target.prefix { $0 != "/" })
            let line = "\(requestLine[0]) \(target.dropFirst(authority.count)) \(requestLine[2])\r\nConnection: close"
            let rest = received.drop { $0 != 13 }
            relay(client, to: authority, first: Array(line.utf8) + rest, response: "")
        }
    }

    private func relay(_ client: Int32, to authority: String, first: [UInt8], response: String) {
        let parts = authority.split(separator: ":")
        let isNamed = parts.first.map(String.init) == name
        guard let port = isNamed ? target : Int(parts.last ?? ""), isNamed || parts.first == "127.0.0.1",
            let socket = try? RawSocket(port: port)
        else { return }
        let server = socket.descriptor
        Self.write(Array(response.utf8), to: client)
        Self.write(first, to: server)
        let done = DispatchSemaphore(value: 0)
        BackgroundThread.start {
            Self.pump(client, server)
            done.signal()
        }
        Self.pump(server, client)
        done.wait()
        extendLifetime(socket)
    }

    private static func pump(_ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = recv(from, &buffer, buffer.count, 0), count > 0 {
            write(Array(buffer[..<count]), to: to)
        }
        shutdown(to, Int32(SHUT_WR))
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
