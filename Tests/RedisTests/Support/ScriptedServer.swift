import Foundation
import TestSupport

/// A server on a Unix socket that says given bytes to every connection, whatever it is asked, and closes it at the end.
final class ScriptedServer: Sendable {
    private let folder: TemporaryDirectory
    private let listener: Int32

    /// The path of the socket.
    var socketPath: String { folder.file("socket") }

    /// Starts a server that says `response` as soon as it was asked something.
    init(_ response: String) throws {
        folder = try TemporaryDirectory()
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = folder.file("socket")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 8) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        let response = Array(response.utf8)
        LoopbackListener.serve(listener) { connection in
            var asked = [UInt8](repeating: 0, count: 4_096)
            _ = read(connection, &asked, asked.count)
            _ = send(connection, response, response.count, Int32(MSG_NOSIGNAL))
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }
}
