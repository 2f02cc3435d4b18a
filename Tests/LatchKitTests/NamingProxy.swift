import Foundation
import Glibc
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

    let port: Int
    private let name: String
    private let target: Int
    private let listening: Int32
    private let state = Mutex(State())

    /// Opens it: `name` leads to `target` of this machine, whatever the port; addresses of this machine lead to themselves.
    init(_ name: String, leadsTo target: Int) throws {
        let listener = try LoopbackListener()
        (self.name, self.target, listening, port) = (name, target, listener.descriptor, listener.port)
        let descriptor = listening
        Thread.detachNewThread { [weak self] in
            while case let connection = LoopbackListener.accepted(at: descriptor), connection >= 0 {
                guard let self else {
                    close(connection)
                    break
                }
                Thread.detachNewThread { self.serve(connection) }
            }
            close(descriptor)
        }
    }

    deinit { shutdown(listening, Int32(SHUT_RDWR)) }

    /// Where tunnels led to, as the client named it.
    var tunnels: [String] { state.withLock(\.tunnels) }
    /// The heads of requests that came in the clear.
    var heads: [String] { state.withLock(\.heads) }

    private func serve(_ client: Int32) {
        defer { close(client) }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while received.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            received += buffer[..<count]
        }
        let text = String(decoding: received, as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count == 3 else { return }
        if words[0] == "CONNECT" {
            state.withLock { $0.tunnels.append(String(words[1])) }
            relay(client, to: String(words[1]), first: [], answer: "HTTP/1.1 200 Connected\r\n\r\n")
        } else if words[1].hasPrefix("http://") {
            state.withLock { $0.heads.append(text) }
            let place = words[1].dropFirst("http://".count)
            let authority = String(place.prefix { $0 != "/" })
            let line = "\(words[0]) \(place.dropFirst(authority.count)) \(words[2])\r\nConnection: close"
            let rest = received.drop { $0 != 13 }
            relay(client, to: authority, first: Array(line.utf8) + rest, answer: "")
        }
    }

    private func relay(_ client: Int32, to authority: String, first: [UInt8], answer: String) {
        let parts = authority.split(separator: ":")
        let isNamed = parts.first.map(String.init) == name
        guard let port = isNamed ? target : Int(parts.last ?? ""), isNamed || parts.first == "127.0.0.1",
            let server = Self.connected(to: port)
        else { return }
        defer { close(server) }
        Self.write(Array(answer.utf8), to: client)
        Self.write(first, to: server)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Self.pump(client, server)
            done.signal()
        }
        Self.pump(server, client)
        done.wait()
    }

    private static func connected(to port: Int) -> Int32? {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isThere = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(made, $0, size) == 0 }
        }
        if isThere { return made }
        close(made)
        return nil
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
