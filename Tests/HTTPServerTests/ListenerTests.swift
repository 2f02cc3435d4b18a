import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@Suite("Listeners", .blocking, .timeLimit(.minutes(20)))
struct ListenerTests {
    private static let request = "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test("IPv4, IPv6 and a Unix socket are served at the same time, each with its kind of peer")
    func kinds() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/server.sock"
        let server = try await TestServer(
            TestServer.configuration {
                $0.listeners = [
                    .tcp(host: "127.0.0.1", port: 0), .tcp(host: "::1", port: 0), .unix(path: path, mode: 0o600),
                ]
            })
        let addresses = server.server.addresses
        let v6 = try #require(addresses[1].port)
        let sockets = [
            try RawSocket(port: server.port), try RawSocket(host: "::1", port: Int(v6)), try RawSocket(path: path),
        ]
        for socket in sockets {
            try socket.write(Self.request)
            #expect(try socket.readToEnd().hasSuffix("hello"))
        }
        var records = server.accesses.makeAsyncIterator()
        var peers: Set<String> = []
        for _ in 0..<3 { peers.insert(await records.next()?.peer.address ?? "-") }
        #expect(peers == ["127.0.0.1", "::1", "unix"])
        #expect(addresses[1].description == "[::1]:\(v6)")

        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        await server.stop()
        #expect(lstat(path, &status) != 0)
    }

    @Test("the wildcard addresses of both families can use one port")
    func wildcards() async throws {
        try await Self.unlessPortInUse {
            let first = try await TestServer(TestServer.configuration { $0.listeners = [.tcp(host: "::", port: 0)] })
            let port = UInt16(first.port)
            let second = try await TestServer(
                TestServer.configuration { $0.listeners = [.tcp(host: "0.0.0.0", port: port)] })
            await first.stop()
            await second.stop()
        }
    }

    /// Tries again with another port when some program has taken the one that was free a moment ago.
    private static func unlessPortInUse(_ body: () async throws -> Void) async throws {
        for _ in 0..<4 {
            do {
                return try await body()
            } catch let error as HTTPServerError where error.code == .addressInUse {
                continue
            }
        }
        try await body()
    }

    @Test("a port in use by another server of the same user is refused with the address and a remedy")
    func portInUse() async throws {
        try await Self.unlessPortInUse {
            let first = try await TestServer()
            let configuration = TestServer.configuration {
                $0.listeners = [.tcp(host: "127.0.0.1", port: UInt16(first.port))]
            }
            let error = await #expect(throws: HTTPServerError.self) { try await TestServer(configuration) }
            #expect(error?.code == .addressInUse)
            #expect(
                error?.message
                    == "Could not listen on 127.0.0.1:\(first.port): another program already listens there; stop it or choose another address."
            )
            await first.stop()
            let again = try await TestServer(configuration)
            await again.stop()
        }
    }

    @Test("connections are distributed over the loops' sockets of one port")
    func spreading() async throws {
        var router = Router()
        router.on(.get, "/hello") { _ in .text("\(pthread_self())") }
        let server = try await TestServer(router: router)
        var threads: Set<String> = []
        for _ in 0..<64 {
            threads.insert(try server.exchange(Self.request).components(separatedBy: "\r\n\r\n")[1])
        }
        #expect(threads.count == 2)
        await server.stop()
    }

    @Test("a Unix socket file of a dead process is replaced, but not one in use, nor another file")
    func unixFiles() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/server.sock"
        let configuration = TestServer.configuration { $0.listeners = [.unix(path: path)] }
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        close(dead)

        let server = try await TestServer(configuration)
        let live = await #expect(throws: HTTPServerError.self) { try await TestServer(configuration) }
        #expect(live?.code == .addressInUse)
        let client = try RawSocket(path: path)
        try client.write(Self.request)
        #expect(try client.readToEnd().hasSuffix("hello"))
        await server.stop()

        try "not a socket".write(toFile: path, atomically: true, encoding: .utf8)
        let file = await #expect(throws: HTTPServerError.self) { try await TestServer(configuration) }
        #expect(file?.message.contains("a file that is not a socket is there") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "not a socket")
    }

    @Test("a Unix socket's lock is released after a stop, even if a starting program has a copy of its descriptor")
    func copiedLock() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/server.sock"
        let configuration = TestServer.configuration { $0.listeners = [.unix(path: path)] }
        let server = try await TestServer(configuration)
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let lock = try #require(
            names.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == path + ".lock"
            })
        let copy = try dup(#require(Int32(lock)))
        defer { close(copy) }

        await server.stop()

        try await TestServer(configuration).stop()
    }

    static let wrong: [(Listener, HTTPServerError.Code)] = [
        (.tcp(host: "example.org", port: 0), .invalidAddress),
        (.tcp(host: "192.0.2.1", port: 0), .invalidAddress),
        (.unix(path: "/nowhere/at/all.sock"), .invalidAddress),
    ]

    @Test("an unusable address is reported with its kind", arguments: wrong)
    func wrongAddress(_ row: (Listener, HTTPServerError.Code)) async throws {
        let error = await #expect(throws: HTTPServerError.self) {
            try await TestServer(TestServer.configuration { $0.listeners = [row.0] })
        }
        #expect(error?.code == row.1)
        #expect(error?.message.hasPrefix("Could not listen on \(row.0): ") == true)
    }

    @Test("a path that is too long for a socket is reported, and no file remains")
    func longPath() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.file(String(repeating: "x", count: 150))
        let error = await #expect(throws: HTTPServerError.self) {
            try await TestServer(TestServer.configuration { $0.listeners = [.unix(path: path)] })
        }
        #expect(error?.code == .invalidAddress)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
