import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Bodies that are written as they go", .timeLimit(.minutes(20)))
struct StreamedBodyTests {
    private struct Broken: Error {}

    /// A producer's word of where it is.
    private final class Progress: Sendable {
        let written = Mutex(0)
        let events: AsyncStream<String>
        let say: AsyncStream<String>.Continuation

        init() { (events, say) = AsyncStream.makeStream(of: String.self) }
    }

    private static func bench(
        _ length: Int?, _ change: (inout HTTPServer.Configuration) -> Void = { _ in },
        _ produce: @escaping @Sendable (BodyWriter) async throws -> Void
    ) async throws -> FileBench {
        try await FileBench(change) { router in
            router.on(.get, "/stream") { _ in ServerResponse(body: .stream(length: length, produce)) }
        }
    }

    private static func get(_ bench: FileBench, version: String = "1.1") throws -> FileBench.Answer {
        let socket = try bench.server.connect()
        try socket.write("GET /stream HTTP/\(version)\r\nHost: a\r\nConnection: close\r\n\r\n")
        return try FileBench.parsed(try FileBench.all(from: socket))
    }

    /// The content of a body in chunks; nil when its end is missing.
    private static func joined(_ chunks: [UInt8]) -> [UInt8]? {
        var rest = chunks[...]
        var content: [UInt8] = []
        while let end = rest.firstRange(of: [13, 10]) {
            guard let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16) else {
                return nil
            }
            rest = rest[end.upperBound...]
            if count == 0 { return rest.elementsEqual([13, 10]) ? content : nil }
            guard rest.count >= count + 2 else { return nil }
            content += rest.prefix(count)
            rest = rest.dropFirst(count + 2)
        }
        return nil
    }

    @Test(
        "pieces of every size arrive in order, with a length and in chunks, written at once or by and by",
        arguments: [true, false], [true, false])
    func pieces(_ hasLength: Bool, _ waits: Bool) async throws {
        let sizes = [1, 0, 10, 65_535, 65_536, 65_537, 300_000, 7, 131_072, 131_073, 2]
        let content = FileBench.pattern(sizes.reduce(0, +))
        let bench = try await Self.bench(hasLength ? content.count : nil) { writer in
            var start = 0
            for size in sizes {
                if waits { await BackgroundThread.run {} }
                try await writer.write(Array(content[start..<(start + size)]))
                start += size
            }
        }
        let answer = try Self.get(bench)
        #expect(answer["Content-Length"] == (hasLength ? "\(content.count)" : nil))
        #expect(answer["Transfer-Encoding"] == (hasLength ? nil : "chunked"))
        #expect((hasLength ? answer.body : Self.joined(answer.body)) == content)
        var records = bench.server.accesses.makeAsyncIterator()
        #expect(await records.next()?.bytes == content.count)
        await bench.stop()
    }

    @Test("an empty body ends well, with a length and without", arguments: [0, nil] as [Int?])
    func empty(_ length: Int?) async throws {
        let bench = try await Self.bench(length) { _ in }
        let answer = try Self.get(bench)
        #expect((length == nil ? Self.joined(answer.body) : answer.body) == [])
        #expect(answer.status == 200)
        await bench.stop()
    }

    @Test("HEAD, and a status without body, never start the producer")
    func bodiless() async throws {
        let progress = Progress()
        let produce: @Sendable (BodyWriter) async throws -> Void = { _ in progress.say.yield("started") }
        let bench = try await FileBench { _ in
        } routes: { router in
            router.on(.get, "/stream") { _ in ServerResponse(body: .stream(length: 1_000, produce)) }
            router.on(.get, "/none") { _ in ServerResponse(status: .noContent, body: .stream(length: nil, produce)) }
            router.on(.get, "/same") { _ in ServerResponse(status: .notModified, body: .stream(length: 5, produce)) }
        }
        #expect(try bench.get("/stream", method: "HEAD")["Content-Length"] == "1000")
        #expect(try bench.get("/none").status == 204)
        #expect(try bench.get("/same").status == 304)
        await bench.stop()
        progress.say.finish()
        for await event in progress.events { Issue.record("\(event)") }
    }

    @Test(
        "a producer that throws, writes too little or too much cuts the connection, and the log says so",
        arguments: [100, nil] as [Int?], ["throws", "little", "much"])
    func failing(_ length: Int?, _ how: String) async throws {
        if length == nil, how != "throws" { return }
        let bench = try await Self.bench(length) { writer in
            try await writer.write([UInt8](repeating: 1, count: 50))
            if how == "throws" { throw Broken() }
            if how == "much" { try await writer.write([UInt8](repeating: 1, count: 51)) }
        }
        let answer = try Self.get(bench)
        #expect(answer.body.count < 100)
        #expect(Self.joined(answer.body) == nil)
        #expect(try bench.get("/hello").body == Array("hello".utf8))
        await bench.stop()
        let events = await bench.server.eventsSoFar()
        #expect(events.map(\.message) == ["A response was cut off: its body could not be produced."])
        #expect(events.first?.metadata["route"] == "/stream")
    }

    @Test("an HTTP/1.0 client, which knows the body's end by the connection's, gets a reset for a body that failed")
    func openEnded() async throws {
        let bench = try await Self.bench(nil) { writer in
            try await writer.write("begun")
            try await Task.sleep(for: .milliseconds(1))
            throw Broken()
        }
        let socket = try bench.server.connect()
        try socket.write("GET /stream HTTP/1.0\r\nHost: a\r\n\r\n")
        #expect(throws: RawSocket.Failure.self) { while try !socket.readSome().isEmpty {} }
        await bench.stop()
    }

    @Test("a client that does not read stops its producer, and goes on with it")
    func backPressure() async throws {
        let progress = Progress()
        let piece = [UInt8](repeating: 7, count: 65_536)
        let count = 512
        let bench = try await Self.bench(piece.count * count) { writer in
            for _ in 0..<count {
                try await writer.write(piece)
                progress.written.withLock { $0 += piece.count }
            }
        }
        let socket = try bench.server.connect()
        // A window of its own keeps the system's buffers small.
        var window: Int32 = 65_536
        setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &window, 4)
        try socket.write("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        var last = -1
        while true {
            try await Task.sleep(for: .milliseconds(50))
            let now = progress.written.withLock { $0 }
            if now == last, now > 0 { break }
            last = now
        }
        #expect(last < piece.count * count / 2)
        #expect(try FileBench.parsed(try FileBench.all(from: socket)).body.count == piece.count * count)
        await bench.stop()
    }

    @Test(
        "a client that goes away cancels the producer, whether it writes or waits for something",
        arguments: ["writing", "waiting"], ["close", "reset"])
    func gone(_ what: String, _ how: String) async throws {
        let progress = Progress()
        let bench = try await Self.bench(nil) { writer in
            defer { progress.say.yield("ended") }
            try await writer.write("begun")
            progress.say.yield("begun")
            do {
                if what == "waiting" { try await Task.sleep(for: .seconds(3_600)) }
                while true { try await writer.write([UInt8](repeating: 1, count: 65_536)) }
            } catch {
                progress.say.yield(error is CancellationError ? "cancelled" : "\(error)")
                throw error
            }
        }
        var socket: RawSocket? = try bench.server.connect()
        try socket?.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try socket?.readSome()
        var events = progress.events.makeAsyncIterator()
        #expect(await events.next() == "begun")
        if how == "reset" { socket?.resetAtEnd() }
        socket = nil
        #expect(await events.next() == "cancelled")
        #expect(await events.next() == "ended")
        await bench.stop()
        #expect(await bench.server.eventsSoFar().isEmpty)
    }

    @Test("the server's stop cancels a producer whose drain is over")
    func stopping() async throws {
        let progress = Progress()
        let bench = try await Self.bench(nil) { writer in
            defer { progress.say.yield("ended") }
            try await writer.write("begun")
            try await Task.sleep(for: .seconds(3_600))
        }
        let socket = try bench.server.connect()
        try socket.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try socket.readSome()
        await bench.server.server.stop(drain: .milliseconds(20))
        var events = progress.events.makeAsyncIterator()
        #expect(await events.next() == "ended")
    }

    @Test("a producer may take longer than any time-out; a client that takes nothing is ended")
    func timeOuts() async throws {
        let slow = try await Self.bench(10, { $0.idleTimeout = .seconds(1) }) { writer in
            for _ in 0..<10 {
                try await Task.sleep(for: .milliseconds(150))
                try await writer.write("x")
            }
        }
        #expect(try Self.get(slow).body.count == 10)
        await slow.stop()
        let progress = Progress()
        let endless = try await Self.bench(nil, { $0.idleTimeout = .seconds(1) }) { writer in
            defer { progress.say.yield("ended") }
            while true { try await writer.write([UInt8](repeating: 1, count: 65_536)) }
        }
        let socket = try endless.server.connect()
        try socket.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        var events = progress.events.makeAsyncIterator()
        #expect(await events.next() == "ended")
        await endless.stop()
    }
}
