import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("File bodies", .blocking, .timeLimit(.minutes(20)))
struct FileBodyTests {
    @Test("a file is sent completely over TCP, and the connection continues")
    func overTCP() async throws {
        let fixture = try await FileFixture()
        let bytes = try fixture.write(3_000_017, to: "a")
        let socket = try fixture.server.connect()
        let request = "GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n"
        try socket.write(request + request + "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let all = try FileFixture.all(from: socket)
        let first = try FileFixture.parsed(all)
        #expect(Array(first.body.prefix(bytes.count)) == bytes)
        let second = try FileFixture.parsed(Array(first.body.dropFirst(bytes.count)))
        #expect(Array(second.body.prefix(bytes.count)) == bytes)
        #expect(try FileFixture.parsed(Array(second.body.dropFirst(bytes.count))).body == Array("hello".utf8))
        var records = fixture.server.accesses.makeAsyncIterator()
        #expect(await records.next()?.bytes == bytes.count)
        await fixture.stop()
    }

    @Test("a file is sent completely over a Unix socket")
    func overUnixSocket() async throws {
        let directory = try TemporaryDirectory()
        let fixture = try await FileFixture { $0.listeners = [.unix(path: directory.file("s"))] }
        let bytes = try fixture.write(3_000_017, to: "a")
        let socket = try RawSocket(path: directory.file("s"))
        try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try FileFixture.parsed(try FileFixture.all(from: socket)).body == bytes)
        await fixture.stop()
    }

    @Test("HEAD has the length and no body, and every opened file is closed")
    func descriptors() async throws {
        let fixture = try await FileFixture()
        try fixture.write(300_000, to: "a")
        func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let name = fixture.folder.file("a")
        func held() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == name
            }
        }
        for method in ["GET", "HEAD", "GET"] {
            let response = try fixture.get("/raw/a", method: method)
            #expect(response["Content-Length"] == "300000")
            #expect(response.body.count == (method == "GET" ? 300_000 : 0))
        }
        let socket = try fixture.server.connect()
        try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n")
        await fixture.stop()
        #expect(try held() == 0)
    }

    @Test(
        "a file that becomes shorter while it is sent ends the connection, over TCP and over a Unix socket",
        arguments: [true, false])
    func shortened(_ isTCP: Bool) async throws {
        let directory = try TemporaryDirectory()
        let fixture = try await FileFixture {
            if !isTCP { $0.listeners = [.unix(path: directory.file("s"))] }
            $0.headerTimeout = .seconds(2)
        }
        let size = 64 << 20
        try fixture.makeSparse(size, "a")
        let socket = isTCP ? try fixture.server.connect() : try RawSocket(path: directory.file("s"))
        try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n")
        let start = try socket.readSome()
        #expect(truncate(fixture.folder.file("a"), 10_000_000) == 0)
        let rest = try FileFixture.all(from: socket)
        #expect(start.count + rest.count < size)
        var records = fixture.server.accesses.makeAsyncIterator()
        let record = await records.next()
        #expect(record?.status == .ok && record?.bytes ?? 0 < size)
        await fixture.stop()
        if isTCP {
            let events = await fixture.server.eventsSoFar()
            #expect(
                events.map(\.message) == ["A file became shorter while it was being sent: the connection was closed."])
        }
    }

    @Test("for a client that disconnects, the bytes that its system received are counted")
    func clientDisconnects() async throws {
        let fixture = try await FileFixture()
        try fixture.makeSparse(1 << 30, "a")
        var socket: RawSocket? = try fixture.server.connect()
        try socket?.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n")
        var received = 0
        var head: Int?
        while received < 5_000_000, let chunk = try socket?.readSome() {
            if head == nil { head = chunk.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound }
            received += chunk.count
        }
        socket?.resetAtEnd()
        socket = nil
        var records = fixture.server.accesses.makeAsyncIterator()
        let record = try #require(await records.next())
        // What was read, but for the last segments, which a system may acknowledge up to 40 ms after it handed them on; and what
        // it had received and the client did not read.
        let unacknowledged = 2 * 65_536
        #expect(record.bytes >= received - (head ?? 0) - unacknowledged)
        #expect(record.bytes < 1 << 28)
        await fixture.stop()
    }

    @Test("a slow download may take longer than any time-out, and a stalled one is ended")
    func slow() async throws {
        let fixture = try await FileFixture { $0.idleTimeout = .seconds(2) }
        let size = 48 << 20
        try fixture.makeSparse(size, "a")
        let slow = try fixture.server.connect()
        let stalled = try fixture.server.connect()
        for socket in [slow, stalled] {
            try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        }
        var received = 0
        let start = ContinuousClock.now
        while received < size {
            let chunk = try slow.readSome()
            guard !chunk.isEmpty else { break }
            received += chunk.count
            // Slower than the time-out allows for the whole, and never silent for that long.
            if received < size, ContinuousClock.now - start < .seconds(4) { usleep(20_000) }
        }
        #expect(received > size)
        #expect(ContinuousClock.now - start > .seconds(2))
        #expect(try FileFixture.all(from: stalled).count < size)
        await fixture.stop()
    }

    @Test("a running download is completed before the server stops")
    func drain() async throws {
        let fixture = try await FileFixture()
        let size = 24 << 20
        try fixture.makeSparse(size, "a")
        let reading = try fixture.server.connect()
        try reading.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n")
        let started = try reading.readSome().count
        let server = fixture.server.server
        async let stopped: Void = server.stop(drain: .seconds(120))
        while !server.loops.allSatisfy({ $0.queue.withLock { $0.commands.isEmpty } }) { await Task.yield() }
        let rest = try FileFixture.all(from: reading)
        #expect(started + rest.count > size)
        await stopped
    }

    @Test("a download that stalls ends with the drain time-out, and so does the server")
    func drainTimeout() async throws {
        let fixture = try await FileFixture()
        let size = 24 << 20
        try fixture.makeSparse(size, "a")
        let stalled = try fixture.server.connect()
        try stalled.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try stalled.readSome()
        await fixture.server.server.stop(drain: .seconds(1))
        #expect(try FileFixture.all(from: stalled).count < size)
    }
}
