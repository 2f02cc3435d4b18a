import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Routes with an admission check before the body, and the memory of unfinished requests.
@Suite("Admission of bodies and connections", .blocking, .timeLimit(.minutes(20)))
struct AdmissionTests {
    /// When the admission check of a route answers.
    enum Way: CaseIterable { case synchronousHandler, later }

    private static let head = "Host: a\r\nContent-Type: text/plain\r\n"
    /// The beginnings of requests with a large body.
    private static let requestStarts = [
        "POST /large HTTP/1.1\r\n\(head)Content-Length: 1000000\r\n\r\n\(String(repeating: "x", count: 1_000))",
        "POST /large HTTP/1.1\r\n\(head)Content-Length: 1000000\r\n\r\n",
        "POST /large HTTP/1.1\r\n\(head)Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n",
        "POST /large HTTP/1.1\r\n\(head)Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n",
    ]

    /// A router with a route that admits only requests with a secret word, and counts how often its handler runs.
    private static func router(_ way: Way, _ reached: Reached) -> Router {
        var router = Router.sample
        router.on(
            .post, "/large", maximumBodyBytes: 1_000_000,
            admission: { request in
                if way == .later { await Task.yield() }
                return request.headers["X-Word"] == "sesame" ? nil : .text("who are you?", status: .unauthorized)
            },
            handler: { request in
                reached.count.withLock { $0 += 1 }
                return .text("\(request.body.count)")
            })
        return router
    }

    private final class Reached: Sendable {
        let count = Mutex(0)
    }

    @Test("a client that may not send a large body is refused after the head", arguments: Way.allCases)
    func refused(_ way: Way) async throws {
        let reached = Reached()
        let server = try await TestServer(router: Self.router(way, reached))
        for beginning in Self.requestStarts {
            let socket = try server.connect()
            try socket.write(beginning)
            let answers = RawResponse.all(in: Array(try socket.readToEnd().utf8))
            #expect(answers.map(\.status) == [401], "\(beginning.prefix(120))")
        }
        #expect(reached.count.withLock { $0 } == 0)
        await server.stop()
    }

    @Test("an admitted client gets its response, and the connection serves the next request", arguments: Way.allCases)
    func admitted(_ way: Way) async throws {
        let reached = Reached()
        let server = try await TestServer(router: Self.router(way, reached))
        let socket = try server.connect()
        for count in [1, 70_000, 1_000_000] {
            try socket.write("POST /large HTTP/1.1\r\nHost: a\r\nX-Word: sesame\r\nContent-Length: \(count)\r\n\r\n")
            try socket.write(String(repeating: "x", count: count))
            #expect(try socket.readResponse().body == "\(count)")
        }
        try socket.write("POST /large HTTP/1.1\r\nHost: a\r\nX-Word: sesame\r\nContent-Length: 0\r\n\r\n")
        #expect(try socket.readResponse().body == "0")
        try socket.write(
            "POST /large HTTP/1.1\r\nHost: a\r\nX-Word: sesame\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "4\r\nabcd\r\n0\r\n\r\n")
        #expect(try socket.readResponse().body == "4")
        await server.stop()
    }

    @Test("when a client disconnects during the admission check, the check is cancelled and its memory is freed")
    func clientDisconnects() async throws {
        let (asked, question) = AsyncStream.makeStream(of: Void.self)
        var router = Router.sample
        router.on(
            .post, "/large",
            admission: { _ in
                question.yield()
                // Only a cancellation ends this.
                try? await Task.sleep(for: .seconds(3_600))
                question.finish()
                return nil
            }, handler: { _ in .text("reached") })
        let server = try await TestServer(router: router)
        do {
            let socket = try server.connect()
            try socket.write("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            var asked = asked.makeAsyncIterator()
            _ = await asked.next()
        }
        for await _ in asked {}
        let settings = server.server.loops[0].settings
        try await eventually { settings.requestMemory.usedBytes == 0 }
        await server.stop()
    }

    /// Requests that end before they are complete, however their clients leave.
    private static let endings: [(String, RawExchanges.Ending)] = {
        let part = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n"
        let chunked = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        return [
            (chunked + "ZZ\r\n", .waiting), (chunked + "3\r\nabc\r\nZZ\r\n", .waiting),
            (chunked + "3\r\nabcd\r\n", .waiting),
            (part, .finished), (part + "abc", .finished), (chunked, .finished), (chunked + "3\r\nab", .finished),
            ("POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", .finished),
        ]
    }()

    @Test("an incomplete request frees its memory, also with a malformed body", arguments: endings)
    func endsEarly(_ request: (text: String, ending: RawExchanges.Ending)) async throws {
        let server = try await TestServer()
        let (bytes, port) = (Array(request.text.utf8), Int(server.port))
        _ = try await BackgroundThread.run {
            Result { try RawExchanges.run(Array(repeating: bytes, count: 20), port: port, ending: request.ending) }
        }.get()
        let settings = server.server.loops[0].settings
        try await eventually { settings.requestMemory.usedBytes == 0 }
        await server.stop()
    }

    private static let part =
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n" + String(repeating: "x", count: 8_000)

    /// Sends the rest of ``part``; the response must have all of it.
    private static func complete(_ socket: RawSocket) throws {
        try socket.write(String(repeating: "x", count: 1_000))
        #expect(try socket.readResponse().body.utf8.count == 9_000)
    }

    @Test(
        "when the memory for incomplete requests is used up, the one that waits longest gets 503, and complete ones are served"
    )
    func memoryLimit() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                $0.requestMemory = 40_000
                $0.bodyTimeout = .seconds(3_600)
                $0.countsConnections = { _ in false }
            })
        let settings = server.server.loops[0].settings
        var waiting: [RawSocket] = []
        for count in 1...4 {
            let socket = try server.connect()
            try socket.write(Self.part)
            waiting.append(socket)
            try await eventually { settings.requestMemory.usedBytes >= count * 8_000 }
        }
        let newest = try server.connect()
        try newest.write(Self.part)
        let response = try waiting.removeFirst().readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 503 "))
        #expect(response.contains("\r\nRetry-After: 5\r\n"))
        #expect(response.contains("\r\nConnection: close\r\n"))
        try await eventually { settings.requestMemory.usedBytes >= 4 * 8_000 }
        #expect(settings.requestMemory.usedBytes <= 40_000)

        let complete = try server.connect()
        try complete.write("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nwhole")
        #expect(try complete.readResponse().body == "whole")
        try complete.write("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try complete.readResponse().body == "later")

        for socket in waiting + [newest] { try Self.complete(socket) }
        try await eventually { settings.requestMemory.usedBytes == 0 }
        await server.stop()
    }

    @Test("an address that uses up its share of the memory for incomplete requests displaces only its own")
    func memoryShare() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                // An eighth of it is enough for one of these requests.
                $0.requestMemory = 80_000
                $0.bodyTimeout = .seconds(3_600)
            })
        let settings = server.server.loops[0].settings
        let patient = try server.connect(from: "127.0.0.2")
        try patient.write(Self.part)
        try await eventually { settings.requestMemory.usedBytes >= 8_000 }
        var last = try server.connect()
        try last.write(Self.part)
        for _ in 1...20 {
            let next = try server.connect()
            try next.write(Self.part)
            #expect(try last.readToEnd().hasPrefix("HTTP/1.1 503 "))
            last = next
        }
        // Larger than the share, but the only one of its address.
        let large = try server.connect(from: "127.0.0.3")
        try large.write(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n" + String(repeating: "x", count: 29_999))
        try await eventually { settings.requestMemory.usedBytes >= 16_000 + 29_999 }
        try large.write("x")
        #expect(try large.readResponse().body.utf8.count == 30_000)
        for socket in [patient, last] { try Self.complete(socket) }
        try await eventually { settings.requestMemory.usedBytes == 0 }
        await server.stop()
    }

    @Test(
        "an address that does not read its responses loses the oldest of its own when its share of the memory is used up"
    )
    func unreadResponses() async throws {
        let size = 8 << 20
        var router = Router()
        router.on(.get, "/large") { _ in ServerResponse(body: [UInt8](repeating: 7, count: size)) }
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                // An eighth of it is enough for two of these responses.
                $0.responseMemory = 128 << 20
            }, router: router)
        let settings = server.server.loops[0].settings
        func ask(from source: String, expecting count: Int) async throws -> RawSocket {
            let socket = try server.connect(from: source)
            // A window of its own keeps the system's buffers small.
            var window: Int32 = 65_536
            setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &window, 4)
            try socket.write("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            _ = try socket.readSome()
            try await eventually { settings.responseMemory.usedBytes == count * size }
            return socket
        }
        let patient = try await ask(from: "127.0.0.2", expecting: 1)
        var slow: [RawSocket] = []
        for number in 1...5 { slow.append(try await ask(from: "127.0.0.1", expecting: 1 + min(number, 2))) }
        var complete: [Bool] = []
        for socket in slow + [patient] {
            var count = 0
            while let more = try? socket.readSome().count, more > 0 { count += more }
            // The first bytes have been read already.
            complete.append(count > size - 131_072)
        }
        #expect(complete == [false, false, false, true, true, true])
        try await eventually { settings.responseMemory.usedBytes == 0 }
        await server.stop()
        let events = await server.eventsSoFar()
        #expect(events.map(\.message).count { $0.hasPrefix("Responses were cut off") } == 1)
    }

    @Test("slow heads of one address are refused as soon as another address needs their memory")
    func slowHeads() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                // The minimum is sixteen connections per loop.
                $0.connectionMemory = 1
                $0.headerTimeout = .seconds(3_600)
            })
        let loop = server.server.loops[0]
        let slow = try (0..<16).map { _ in
            let socket = try server.connect()
            try socket.write("GET /hello HTTP/1.1\r\nHo")
            return socket
        }
        try await eventually { await Self.readCount(of: loop) == 16 }
        let other = try server.connect(from: "127.0.0.2")
        try other.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try other.readResponse().body == "hello")
        // Not more of them than needed.
        try slow[15].write("st: a\r\n\r\n")
        #expect(try slow[15].readResponse().body == "hello")
        await server.stop()
    }

    @Test("slow heads within the shares are refused after a tenth of their time when others need their memory")
    func patientHeads() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                $0.connectionMemory = 1
                $0.headerTimeout = .seconds(20)
                $0.countsConnections = { _ in false }
            })
        let loop = server.server.loops[0]
        let slow = try (0..<16).map { _ in
            let socket = try server.connect()
            try socket.write("GET /hello HTTP/1.1\r\nHo")
            return socket
        }
        try await eventually { await Self.readCount(of: loop) == 16 }
        let other = try server.connect()
        try other.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try other.readResponse().body == "hello")
        // After all of their time they would get 408.
        let answers = slow.compactMap { socket in
            socket.finishWriting()
            return try? socket.readToEnd()
        }
        #expect(answers.contains { $0.hasPrefix("HTTP/1.1 503 ") })
        #expect(!answers.contains { $0.hasPrefix("HTTP/1.1 408 ") })
        await server.stop()
    }

    @Test("connections beyond the memory for reading are held, and served when another one ends")
    func connectionsBeyondMemory() async throws {
        // The minimum is sixteen connections per loop.
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                $0.connectionMemory = 1
                // Only the test ends a connection, however slow the machine is.
                $0.headerTimeout = .seconds(3_600)
                $0.countsConnections = { _ in false }
            })
        let reading = try (0..<16).map { _ in
            let socket = try server.connect()
            try socket.write("GET /hello HTTP/1.1\r\nHo")
            return socket
        }
        let loop = server.server.loops[0]
        try await eventually { await Self.readCount(of: loop) == 16 }
        let late = try (0..<3).map { _ in
            let socket = try server.connect()
            try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            return socket
        }
        try await eventually { await Self.waitingCount(of: loop) == 3 }
        #expect(await Self.readCount(of: loop) == 16)

        for socket in reading { socket.finishWriting() }
        for socket in late { #expect(try socket.readResponse().body == "hello") }
        await server.stop()
    }

    @Test("an idle connection is closed to make room for one that has sent a request")
    func evictsIdleConnection() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                $0.connectionMemory = 1
            })
        let idle = try (0..<16).map { _ in
            let socket = try server.connect()
            try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try socket.readResponse()
            return socket
        }
        let late = try server.connect()
        try late.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try late.readResponse().body == "hello")
        #expect(idle.count == 16)
        await server.stop()
    }

    private static func readCount(of loop: EventLoop) async -> Int { await look(at: loop) { $0.readCount } }

    private static func waitingCount(of loop: EventLoop) async -> Int { await look(at: loop) { $0.waiting.count } }

    private static func look(at loop: EventLoop, _ value: @escaping @Sendable (EventLoop) -> Int) async -> Int {
        await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: value($0)) }
        }
    }

    @Test("one address gets no more connections than allowed, and other addresses are served")
    func perAddressLimit() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.listeners.append(.tcp(host: "::1", port: 0))
                $0.connectionsPerAddress = 3
            })
        var clients = try (0..<3).map { _ in try Self.served(try server.connect()) }
        for _ in 0..<5 { #expect((try? Self.served(try server.connect())) == nil) }
        var events = server.events.makeAsyncIterator()
        #expect(await events.next()?.metadata == ["peer": "127.0.0.1", "limit": "3"])

        let port = try #require(server.server.addresses.last?.port)
        _ = try Self.served(try RawSocket(host: "::1", port: Int(port)))
        clients.removeLast()
        try await eventually { (try? Self.served(try server.connect())) != nil }
        #expect(clients.count == 2)
        await server.stop()
    }

    @Test("the connections of a trusted proxy do not count")
    func proxies() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.connectionsPerAddress = 1
                $0.countsConnections = { $0.address != "127.0.0.1" }
            })
        let clients = try (0..<20).map { _ in try Self.served(try server.connect()) }
        #expect(clients.count == 20)
        await server.stop()
    }

    private struct Unserved: Error {}

    private static func served(_ socket: RawSocket) throws -> RawSocket {
        try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        guard try socket.readResponse().body == "hello" else { throw Unserved() }
        return socket
    }

    @Test("connections are counted by /64, /56 and /48, with larger limits for the wider networks")
    func perNetworkLimit() throws {
        /// Adds connections from new networks until one is refused; their number.
        func fill(_ counter: ConnectionCounter, _ address: (Int) -> String) throws -> Int {
            for count in 0... {
                let peer = try PeerAddress.ipv6(#require(IPAddress(address(count)) as IPAddress?), port: 1)
                guard counter.admits(peer, now: 0, { _ in }) else { return count }
                counter.add(peer)
            }
            return 0
        }
        func hex(_ number: Int) -> String { String(number, radix: 16) }
        func counter(_ networkLimit: Int = 1_000) -> ConnectionCounter {
            ConnectionCounter(limit: 3, networkLimit: networkLimit) { _ in true }
        }
        #expect(try fill(counter()) { "2001:db8::\(hex($0))" } == 3)
        #expect(try fill(counter()) { "2001:db8:0:\(hex($0 % 256))::1" } == 12)
        #expect(try fill(counter()) { "2001:db8:0:\(hex($0 * 256))::1" } == 48)
        #expect(try fill(counter(10)) { "2001:db8:0:\(hex($0 * 256))::1" } == 10)
        #expect(try fill(counter()) { "2001:db8:\($0 >= 100 ? "0" : hex($0))::1" } > 100)
        let emptied = counter()
        let peer = PeerAddress.ipv6(try #require(IPAddress("2001:db8::1") as IPAddress?), port: 1)
        for _ in 0..<100 {
            #expect(emptied.admits(peer, now: 0) { _ in })
            emptied.add(peer)
            emptied.remove(peer)
        }
    }

    @Test("an IPv6 /64 counts as one client, like an IPv4 address")
    func addressGrouping() throws {
        func key(_ text: String) throws -> AddressKey { try AddressKey(#require(IPAddress(text) as IPAddress?)) }
        #expect(try key("2001:db8::1") == key("2001:db8::ffff:1"))
        #expect(try key("2001:db8::1") != key("2001:db8:0:1::1"))
        #expect(try key("192.0.2.1") != key("192.0.2.2"))
        #expect(try key("192.0.2.1").all.map(\.bytes) == [[192, 0, 2, 1]])
        #expect(AddressKey(nil).all.map(\.bytes) == [[]])
        let all = try key("2001:db8:a:b0c::1").all
        let bytes: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 0xa, 0xb, 0xc]
        #expect(all.map(\.bytes) == [bytes, Array(bytes.prefix(7)), Array(bytes.prefix(6))])
        #expect(all.map(\.allowance) == [1, 4, 16])
        #expect(try key("2001:db8:a:bff::1").all[1] == all[1])
        #expect(try key("2001:db8:a:c00::1").all[2] == all[2])
    }
}
