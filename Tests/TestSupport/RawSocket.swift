import CLibrary
import Foundation

/// A raw connection, for tests that control the exact bytes on the wire.
///
/// Calls block. Every wait ends at the deadline.
public final class RawSocket: Sendable {
    /// An error with the system's description.
    public struct Failure: Error, CustomStringConvertible {
        /// A description of the error.
        public let description: String
    }

    /// The descriptor. It is closed when the value is destroyed.
    public let descriptor: Int32
    private let deadlineMilliseconds: Int32

    /// Connects to `port` on an IP address, such as `127.0.0.1` or `::1`. `source` is the IPv4 address to connect from.
    public init(
        host: String = "127.0.0.1", port: Int, from source: String? = nil, deadline: Int = SuccessTimeout.seconds
    ) throws {
        deadlineMilliseconds = Int32(deadline * 1_000)
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else {
            throw Failure(description: "'\(host)' is no IP address.")
        }
        defer { freeaddrinfo(found) }
        descriptor = socket(found.pointee.ai_family, hints.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        if let source { try bind(to: source) }
        try connect(found.pointee.ai_addr, found.pointee.ai_addrlen, to: "\(host):\(port)")
    }

    /// Connects to the Unix domain socket at `path`.
    public init(path: String, deadline: Int = SuccessTimeout.seconds) throws {
        deadlineMilliseconds = Int32(deadline * 1_000)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try connect($0, socklen_t(MemoryLayout<sockaddr_un>.size), to: path)
            }
        }
    }

    deinit {
        close(descriptor)
    }

    private func bind(to source: String) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        guard inet_pton(AF_INET, source, &address.sin_addr) == 1 else {
            throw Failure(description: "'\(source)' is no IPv4 address.")
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                CLibrary.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "Could not bind to \(source).") }
    }

    private func connect(_ address: UnsafePointer<sockaddr>, _ length: socklen_t, to place: String) throws {
        guard CLibrary.connect(descriptor, address, length) == 0 else {
            throw Failure(description: "Could not connect to \(place): \(String(cString: strerror(errno))).")
        }
    }

    /// Sends all bytes of `text`.
    public func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    /// Sends all bytes.
    public func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(description: "Could not send: \(String(cString: strerror(errno))).") }
            sent += count
        }
    }

    /// Makes the connection end with a reset instead of a regular close when the value is destroyed.
    ///
    /// Source: socket(7), `SO_LINGER` with a time of 0.
    public func resetAtEnd() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<CLibrary.linger>.size))
    }

    /// Shuts down the sending side of the connection.
    public func finishWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Waits for bytes and returns those available. Returns an empty array at the end of the stream.
    ///
    /// - Throws: ``Failure`` when nothing arrives before the deadline or the peer resets the connection.
    public func readSome() throws -> [UInt8] {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var ready = poll(&waiting, 1, deadlineMilliseconds)
        while ready < 0, errno == EINTR { ready = poll(&waiting, 1, deadlineMilliseconds) }
        guard ready == 1 else { throw Failure(description: "Nothing was received in time.") }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count = recv(descriptor, &buffer, buffer.count, 0)
        while count < 0, errno == EINTR { count = recv(descriptor, &buffer, buffer.count, 0) }
        guard count >= 0 else { throw Failure(description: "Could not read: \(String(cString: strerror(errno))).") }
        return Array(buffer.prefix(count))
    }

    /// Reads until the peer closes or resets the connection.
    public func readToEnd() throws -> String {
        var all: [UInt8] = []
        while true {
            let chunk: [UInt8]
            do { chunk = try readSome() } catch { if all.isEmpty { throw error } else { break } }
            if chunk.isEmpty { break }
            all += chunk
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Reads one response: its head, and a body with the length given by `Content-Length`.
    public func readResponse() throws -> (head: String, body: String) {
        var all: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let head = all.firstRange(of: end) {
                let headText = String(decoding: all[..<head.lowerBound], as: UTF8.self)
                let length =
                    headText.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) } ?? 0
                let body = all[head.upperBound...]
                if body.count >= length { return (headText, String(decoding: body, as: UTF8.self)) }
            }
            let chunk = try readSome()
            guard !chunk.isEmpty else { throw Failure(description: "The stream ended inside a response.") }
            all += chunk
        }
    }
}
