import CLibrary
import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Reused descriptors", .blocking, .timeLimit(.minutes(1)))
struct ReusedDescriptorTests {
    /// Between `fork` and `exec`, a child process has copies of all descriptors. A copy of a closed connection keeps its
    /// entry in an epoll set. The test makes the copy itself, and runs in a process of its own, where no other test takes
    /// the number of a closed descriptor.
    @Test("the end of a connection that a child process has inherited does not end the next connection")
    func copied() async throws {
        await #expect(processExitsWith: .success) {
            var router = Router()
            router.on(.get, "/") { _ in .text("done") }
            let server = try await HTTPServer.start(
                HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: router)
            let port = Int(try #require(server.addresses.first?.port))
            let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

            var first: RawSocket?
            var accepted: Int32 = -1
            var copy: Int32 = -1
            var next: Int32 = -1
            // Threads of the system open files too, such as the timer of libdispatch, and may take the number of the
            // closed connection, some of them for good. So this starts again until the next connection has the number.
            repeat {
                if next >= 0 {
                    close(copy)
                    close(next)
                    _ = await Self.descriptors(of: server, count: 0)
                }
                first = try RawSocket(port: port)
                accepted = try #require(await Self.descriptors(of: server, count: 1).first)
                copy = dup(accepted)
                try first?.write(request)
                _ = try first?.readResponse()
                _ = await Self.descriptors(of: server, count: 0)

                // The client's own descriptor takes the free number unless that is in use, so it is kept in use meanwhile.
                let filler = fcntl(copy, F_DUPFD, accepted)
                next = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                close(filler)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = in_port_t(port).bigEndian
                address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
                let connected = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(next, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                #expect(connected == 0)
            } while await Self.descriptors(of: server, count: 1) != [accepted]

            first = nil
            _ = await Self.descriptors(of: server, count: nil)
            let bytes = Array(request.utf8)
            #expect(send(next, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
            var response = [UInt8](repeating: 0, count: 1_024)
            let count = recv(next, &response, response.count, 0)
            #expect(String(decoding: response.prefix(max(count, 0)), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
            close(copy)
            close(next)
            await server.stop(drain: .zero)
        }
    }

    /// Returns the descriptors of the open connections of the only loop, once there are `count` of them.
    private static func descriptors(of server: HTTPServer, count: Int?) async -> [Int32] {
        while true {
            let found = await withCheckedContinuation { continuation in
                server.loops[0].perform { loop in
                    continuation.resume(returning: loop.connections.map(\.descriptor))
                }
            }
            if count == nil || found.count == count { return found }
        }
    }
}
