import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Bodies that are files", .timeLimit(.minutes(20)))
struct FileBodyTests {
    @Test("a file comes whole and the connection goes on, over TCP")
    func whole() async throws {
        let bench = try await FileBench()
        let bytes = try bench.write(3_000_017, to: "a")
        let socket = try bench.server.connect()
        let request = "GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n"
        try socket.write(request + request + "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let all = try FileBench.all(from: socket)
        let first = try FileBench.parsed(all)
        #expect(Array(first.body.prefix(bytes.count)) == bytes)
        let second = try FileBench.parsed(Array(first.body.dropFirst(bytes.count)))
        #expect(Array(second.body.prefix(bytes.count)) == bytes)
        #expect(try FileBench.parsed(Array(second.body.dropFirst(bytes.count))).body == Array("hello".utf8))
        var records = bench.server.accesses.makeAsyncIterator()
        #expect(await records.next()?.bytes == bytes.count)
        await bench.stop()
    }

    @Test("a file comes whole over a Unix socket")
    func unix() async throws {
        let place = try TemporaryDirectory()
        let bench = try await FileBench { $0.listeners = [.unix(path: place.file("s"))] }
        let bytes = try bench.write(3_000_017, to: "a")
        let socket = try RawSocket(path: place.file("s"))
        try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try FileBench.parsed(try FileBench.all(from: socket)).body == bytes)
        await bench.stop()
    }

    @Test("HEAD says the length and sends nothing; the file is closed as often as it was opened")
    func descriptors() async throws {
        let bench = try await FileBench()
        try bench.write(300_000, to: "a")
        func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let name = bench.folder.file("a")
        func held() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == name
            }
        }
        for method in ["GET", "HEAD", "GET"] {
            let answer = try bench.get("/raw/a", method: method)
            #expect(answer["Content-Length"] == "300000")
            #expect(answer.body.count == (method == "GET" ? 300_000 : 0))
        }
        let socket = try bench.server.connect()
        try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n")
        await bench.stop()
        #expect(try held() == 0)
    }

    @Test(
        "a file that becomes shorter while it is sent ends the connection, over TCP and over a Unix socket",
        arguments: [true, false])
    func shortened(_ isTCP: Bool) async throws {
        let place = try TemporaryDirectory()
        let bench = try await FileBench {
            if !isTCP { $0.listeners = [.unix(path: place.file("s"))] }
            $0.headerTimeout = .seconds(2)
        }
        let size = 64 << 20
        try bench.makeSparse(size, "a")
        let socket = isTCP ? try bench.server.connect() : try RawSocket(path: place.file("s"))
        try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n")
        let begun = try socket.readSome()
        #expect(truncate(bench.folder.file("a"), 10_000_000) == 0)
        let rest = try FileBench.all(from: socket)
        #expect(begun.count + rest.count < size)
        var records = bench.server.accesses.makeAsyncIterator()
        let record = await records.next()
        #expect(record?.status == .ok && record?.bytes ?? 0 < size)
        await bench.stop()
        if isTCP {
            let told = await bench.server.eventsSoFar()
            #expect(
                told.map(\.message) == ["A file became shorter while it was being sent: the connection was closed."])
        }
    }

    @Test("a client that leaves half-way is counted for what its system took")
    func goneHalfWay() async throws {
        let bench = try await FileBench()
        try bench.makeSparse(1 << 30, "a")
        var socket: RawSocket? = try bench.server.connect()
        try socket?.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n")
        var taken = 0
        var head: Int?
        while taken < 5_000_000, let some = try socket?.readSome() {
            if head == nil { head = some.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound }
            taken += some.count
        }
        socket?.resetAtEnd()
        socket = nil
        var records = bench.server.accesses.makeAsyncIterator()
        let record = try #require(await records.next())
        // What was read, but for the last segments, which a system may acknowledge up to 40 ms after it handed them on; and what
        // it had received and the client did not read.
        let unacknowledged = 2 * 65_536
        #expect(record.bytes >= taken - (head ?? 0) - unacknowledged)
        #expect(record.bytes < 1 << 28)
        await bench.stop()
    }

    @Test("a download that goes slowly, but goes, may take longer than any time-out; one that stalls is ended")
    func slow() async throws {
        let bench = try await FileBench { $0.idleTimeout = .seconds(2) }
        let size = 48 << 20
        try bench.makeSparse(size, "a")
        let slow = try bench.server.connect()
        let stalled = try bench.server.connect()
        for socket in [slow, stalled] {
            try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        }
        var taken = 0
        let start = ContinuousClock.now
        while taken < size {
            let some = try slow.readSome()
            guard !some.isEmpty else { break }
            taken += some.count
            // Slower than the time-out allows for the whole, and never silent for that long.
            if taken < size, ContinuousClock.now - start < .seconds(4) { usleep(20_000) }
        }
        #expect(taken > size)
        #expect(ContinuousClock.now - start > .seconds(2))
        #expect(try FileBench.all(from: stalled).count < size)
        await bench.stop()
    }

    @Test("running downloads have the time of the drain, then the connection ends and the server with it")
    func drain() async throws {
        let bench = try await FileBench()
        let size = 24 << 20
        try bench.makeSparse(size, "a")
        let reading = try bench.server.connect()
        let stalled = try bench.server.connect()
        for socket in [stalled, reading] { try socket.write("GET /raw/a HTTP/1.1\r\nHost: a\r\n\r\n") }
        _ = try stalled.readSome()
        let begun = try reading.readSome().count
        let server = bench.server.server
        async let stopped: Void = server.stop(drain: .seconds(1))
        while !server.loops.allSatisfy({ $0.queue.withLock { $0.commands.isEmpty } }) { await Task.yield() }
        let rest = try FileBench.all(from: reading)
        #expect(begun + rest.count > size)
        await stopped
        #expect(try FileBench.all(from: stalled).count < size)
    }
}
