import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Streamed bodies", .blocking, .timeLimit(.minutes(20)))
struct StreamedBodyTests {
    private struct Broken: Error {}

    /// A producer's word of where it is.
    private final class Progress: Sendable {
        let written = Mutex(0)
        let events: AsyncStream<String>
        let continuation: AsyncStream<String>.Continuation

        init() { (events, continuation) = AsyncStream.makeStream(of: String.self) }
    }

    private static func fixture(
        _ length: Int?, _ change: (inout HTTPServer.Configuration) -> Void = { _ in },
        _ produce: @escaping @Sendable (BodyWriter) async throws -> Void
    ) async throws -> FileFixture {
        try await FileFixture(change) { router in
            router.on(.get, "/stream") { _ in ServerResponse(body: .stream(length: length, produce)) }
        }
    }

    private static func get(_ fixture: FileFixture, version: String = "1.1") throws -> FileFixture.Response {
        let socket = try fixture.server.connect()
        try socket.write("GET /stream HTTP/\(version)\r\nHost: a\r\nConnection: close\r\n\r\n")
        return try FileFixture.parsed(try FileFixture.all(from: socket))
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
        "pieces of every size arrive in order, with a length and chunked, written at once or gradually",
        arguments: [true, false], [true, false])
    func pieces(_ hasLength: Bool, _ waits: Bool) async throws {
        let sizes = [1, 0, 10, 65_535, 65_536, 65_537, 300_000, 7, 131_072, 131_073, 2]
        let content = patternBytes(sizes.reduce(0, +))
        let fixture = try await Self.fixture(hasLength ? content.count : nil) { writer in
            var start = 0
            for size in sizes {
                if waits { await BackgroundThread.run {} }
                try await writer.write(Array(content[start..<(start + size)]))
                start += size
            }
        }
        let response = try Self.get(fixture)
        #expect(response["Content-Length"] == (hasLength ? "\(content.count)" : nil))
        #expect(response["Transfer-Encoding"] == (hasLength ? nil : "chunked"))
        #expect((hasLength ? response.body : Self.joined(response.body)) == content)
        var records = fixture.server.accesses.makeAsyncIterator()
        #expect(await records.next()?.bytes == content.count)
        await fixture.stop()
    }

    @Test("an empty body ends correctly, with and without a length", arguments: [0, nil] as [Int?])
    func empty(_ length: Int?) async throws {
        let fixture = try await Self.fixture(length) { _ in }
        let response = try Self.get(fixture)
        #expect((length == nil ? Self.joined(response.body) : response.body) == [])
        #expect(response.status == 200)
        await fixture.stop()
    }

    @Test("HEAD and a status without a body never start the producer")
    func bodiless() async throws {
        let progress = Progress()
        let produce: @Sendable (BodyWriter) async throws -> Void = { _ in progress.continuation.yield("started") }
        let fixture = try await FileFixture { _ in
        } routes: { router in
            router.on(.get, "/stream") { _ in ServerResponse(body: .stream(length: 1_000, produce)) }
            router.on(.get, "/none") { _ in ServerResponse(status: .noContent, body: .stream(length: nil, produce)) }
            router.on(.get, "/same") { _ in ServerResponse(status: .notModified, body: .stream(length: 5, produce)) }
        }
        #expect(try fixture.get("/stream", method: "HEAD")["Content-Length"] == "1000")
        #expect(try fixture.get("/none").status == 204)
        #expect(try fixture.get("/same").status == 304)
        await fixture.stop()
        progress.continuation.finish()
        for await event in progress.events { Issue.record("\(event)") }
    }

    @Test(
        "a producer that throws, writes too little or too much aborts the connection, and this is logged",
        arguments: [100, nil] as [Int?], ["throws", "little", "much"])
    func failing(_ length: Int?, _ how: String) async throws {
        if length == nil, how != "throws" { return }
        let fixture = try await Self.fixture(length) { writer in
            try await writer.write([UInt8](repeating: 1, count: 50))
            if how == "throws" { throw Broken() }
            if how == "much" { try await writer.write([UInt8](repeating: 1, count: 51)) }
        }
        let response = try Self.get(fixture)
        #expect(response.body.count < 100)
        #expect(Self.joined(response.body) == nil)
        #expect(try fixture.get("/hello").body == Array("hello".utf8))
        await fixture.stop()
        let events = await fixture.server.eventsSoFar()
        #expect(events.map(\.message) == ["A response was cut off: its body could not be produced."])
        #expect(events.first?.metadata["route"] == "/stream")
    }

    @Test(
        "a check that throws while a body is sent closes the connection in the middle", arguments: [100, nil] as [Int?])
    func stopped(_ length: Int?) async throws {
        let remaining = Mutex(2)
        let fixture = try await FileFixture { _ in
        } routes: { router in
            let body = ResponseBody.stream(length: length) { writer in
                for _ in 0..<4 { try await writer.write([UInt8](repeating: 1, count: 25)) }
            }
            router.on(.get, "/stream") { _ in
                ServerResponse(
                    body: body.checked {
                        guard
                            remaining.withLock({ count in
                                count -= 1
                                return count >= 0
                            })
                        else { throw Broken() }
                    })
            }
        }
        let response = try Self.get(fixture)
        #expect(response.body.count < 100)
        #expect(Self.joined(response.body) == nil)
        await fixture.stop()
        let events = await fixture.server.eventsSoFar()
        #expect(events.map(\.message) == ["A response was cut off: its client may not receive the rest."])
        #expect(events.first?.level == .warning)
    }

    @Test("an HTTP/1.0 client gets a connection reset for a failed body")
    func openEnded() async throws {
        let fixture = try await Self.fixture(nil) { writer in
            try await writer.write("begun")
            try await Task.sleep(for: .milliseconds(1))
            throw Broken()
        }
        let socket = try fixture.server.connect()
        try socket.write("GET /stream HTTP/1.0\r\nHost: a\r\n\r\n")
        #expect(throws: RawSocket.Failure.self) { while try !socket.readSome().isEmpty {} }
        await fixture.stop()
    }

    @Test("a client that does not read suspends its producer, which continues when it reads")
    func backPressure() async throws {
        let progress = Progress()
        let piece = [UInt8](repeating: 7, count: 65_536)
        let count = 512
        let fixture = try await Self.fixture(piece.count * count) { writer in
            for _ in 0..<count {
                try await writer.write(piece)
                progress.written.withLock { $0 += piece.count }
            }
        }
        let socket = try fixture.server.connect()
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
        #expect(try FileFixture.parsed(try FileFixture.all(from: socket)).body.count == piece.count * count)
        await fixture.stop()
    }

    @Test(
        "a client that disconnects cancels the producer, whether it writes or waits",
        arguments: ["writing", "waiting"], ["close", "reset"])
    func clientDisconnects(_ what: String, _ how: String) async throws {
        let progress = Progress()
        let fixture = try await Self.fixture(nil) { writer in
            defer { progress.continuation.yield("ended") }
            try await writer.write("begun")
            progress.continuation.yield("begun")
            do {
                if what == "waiting" { try await Task.sleep(for: .seconds(3_600)) }
                while true { try await writer.write([UInt8](repeating: 1, count: 65_536)) }
            } catch {
                progress.continuation.yield(error is CancellationError ? "cancelled" : "\(error)")
                throw error
            }
        }
        var socket: RawSocket? = try fixture.server.connect()
        try socket?.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try socket?.readSome()
        var events = progress.events.makeAsyncIterator()
        #expect(await events.next() == "begun")
        if how == "reset" { socket?.resetAtEnd() }
        socket = nil
        #expect(await events.next() == "cancelled")
        #expect(await events.next() == "ended")
        await fixture.stop()
        #expect(await fixture.server.eventsSoFar().isEmpty)
    }

    @Test("stopping the server cancels a producer after the drain time-out")
    func stopping() async throws {
        let progress = Progress()
        let fixture = try await Self.fixture(nil) { writer in
            defer { progress.continuation.yield("ended") }
            try await writer.write("begun")
            try await Task.sleep(for: .seconds(3_600))
        }
        let socket = try fixture.server.connect()
        try socket.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try socket.readSome()
        await fixture.server.server.stop(drain: .milliseconds(20))
        var events = progress.events.makeAsyncIterator()
        #expect(await events.next() == "ended")
    }

    @Test("a producer may take longer than any time-out, and a client that reads nothing is disconnected")
    func timeOuts() async throws {
        let slow = try await Self.fixture(10, { $0.idleTimeout = .seconds(1) }) { writer in
            for _ in 0..<10 {
                try await Task.sleep(for: .milliseconds(150))
                try await writer.write("x")
            }
        }
        #expect(try Self.get(slow).body.count == 10)
        await slow.stop()
        let progress = Progress()
        let endless = try await Self.fixture(nil, { $0.idleTimeout = .seconds(1) }) { writer in
            defer { progress.continuation.yield("ended") }
            while true { try await writer.write([UInt8](repeating: 1, count: 65_536)) }
        }
        let socket = try endless.server.connect()
        try socket.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        var events = progress.events.makeAsyncIterator()
        #expect(await events.next() == "ended")
        await endless.stop()
    }
}
