import Crypto
import Foundation
import LatchDownloads
import Synchronization
import TestSupport
import Testing

/// What servers do wrong, over real sockets.
@Suite(.timeLimit(.minutes(20)))
struct DownloadFaultTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    /// Runs one task against a server that answers the first times as told.
    private func fetch(
        _ metadata: DownloadMetadata = .init(), times: Int = .max, settings: DownloadSettings = .init(),
        _ response: @escaping @Sendable (FaultServer.Request, [UInt8]) -> FaultServer.Response
    ) async throws -> (state: DownloadState?, queue: DownloadQueue) {
        let bytes = fixture.bytes(of: "one")
        let asked = Mutex(0)
        fixture.intercept { request in
            guard request.path == "/files/one",
                asked.withLock({
                    $0 += 1; return $0
                }) <= times
            else { return nil }
            return response(request, bytes)
        }
        let queue = fixture.queue(settings, now: DownloadFixture.acceleratedClock())
        try await queue.add([fixture.task("one", metadata: metadata)])
        try await queue.run()
        return (try await fixture.state("one", queue), queue)
    }

    private var asked: Int { fixture.server.requests.count { $0.path == "/files/one" } }

    private func expectComplete() throws {
        #expect(try fixture.files() == ["one.jpg"] && fixture.file("one.jpg") == fixture.bytes(of: "one"))
        #expect(fixture.parts().isEmpty)
    }

    private func expectNothing() throws { #expect(try fixture.files().isEmpty && fixture.parts().isEmpty) }

    private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        guard var digest = InsecureSHA1() else { return [] }
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    @Test("DL-13 DL-14 an interrupted transfer continues at the same offset")
    func interrupted() async throws {
        let (state, _) = try await fetch(times: 1) { request, bytes in
            var response = FaultServer.Response.file(bytes, to: request)
            response.cutAfter = 10_000
            return response
        }
        #expect(state == .done)
        try expectComplete()
        #expect(fixture.server.requests.contains { $0.headers["range"] == "bytes=10000-" })
    }

    @Test("DL-14 after three retries a task fails with its reason, and leaves no partial file")
    func alwaysInterrupted() async throws {
        let (state, _) = try await fetch { request, bytes in
            var response = FaultServer.Response(headers: [], body: bytes)
            response.cutAfter = 10_000
            return response
        }
        guard case .failed(let reason) = state else {
            Issue.record("failed")
            return
        }
        #expect(reason.contains("tried 4 times") && asked == 4)
        try expectNothing()
    }

    @Test(
        "DL-14 the received bytes of a failed file are kept, also at the next start, and a retry continues there",
        arguments: ["retry", "add", "clear"])
    func keepsPart(_ what: String) async throws {
        let bytes = patternBytes(200_000)
        fixture.cut("one", bytes, after: 10_000)
        let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
        try await queue.add([fixture.task("one")])
        try await queue.run()
        #expect(try await queue.progress().failed == 1 && asked == 4)
        try await queue.run()
        #expect(fixture.parts().count == 1)

        fixture.intercept { $0.path == "/files/one" ? .file(bytes, to: $0) : nil }
        switch what {
        case "clear":
            #expect(try await queue.clear(["one"]) == 1)
            #expect(fixture.parts().isEmpty)
            return
        case "add":
            // What else is known of it may be told otherwise.
            #expect(try await queue.add([fixture.task("one", metadata: .init(taken: .now))]) == 1)
        default: #expect(try await queue.retryFailed() == 1)
        }
        try await queue.run()
        #expect(try fixture.file("one.jpg") == bytes && fixture.parts().isEmpty)
        #expect(fixture.server.requests.last?.headers["range"] == "bytes=40000-")
    }

    @Test(
        "DL-2 a file that became shorter is fetched completely, also if the server sends 404 or 500 instead of 416",
        arguments: [416, 404, 500])
    func truncatedFile(_ status: Int) async throws {
        let (old, new) = (fixture.bytes(of: "one") + fixture.bytes(of: "two"), fixture.bytes(of: "one"))
        fixture.intercept { request in
            guard request.path == "/files/one" else { return nil }
            guard request.headers["range"] != nil else {
                let isFirst = self.asked == 1
                var response = FaultServer.Response.file(
                    isFirst ? old : new, to: request, entityTag: isFirst ? "\"1\"" : "\"2\"")
                if isFirst { response.cutAfter = new.count + 1_000 }
                return response
            }
            return .init(status: status, headers: status == 404 ? [] : [("Content-Range", "bytes */\(new.count)")])
        }
        let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
        try await queue.add([fixture.task("one")])
        try await queue.run()
        #expect(try await fixture.state("one", queue) == .done && asked == 3)
        try expectComplete()
    }

    @Test("DL-14 a large file is downloaded in as many pieces as needed if the connection breaks repeatedly")
    func manyPieces() async throws {
        let bytes = patternBytes(700_000)
        fixture.cut("one", bytes, after: 100_000)
        let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
        try await queue.add([fixture.task("one")])
        try await queue.run()
        #expect(try await fixture.state("one", queue) == .done)
        #expect(try fixture.file("one.jpg") == bytes && fixture.parts().isEmpty)
    }

    @Test("DL-14 a stalled transfer is retried")
    func stall() async throws {
        var settings = DownloadSettings()
        // Long enough that the retry does not time out on a busy machine.
        settings.stallTimeout = .seconds(10)
        let (state, _) = try await fetch(times: 1, settings: settings) { request, bytes in
            var response = FaultServer.Response.file(bytes, to: request)
            response.stallAfter = 5_000
            return response
        }
        #expect(state == .done)
        try expectComplete()
    }

    @Test("DL-2 a response with a wrong Content-Length never creates a file", arguments: [9_000_000, 15_000])
    func wrongContentLength(_ length: Int) async throws {
        let bytes = fixture.bytes(of: "one")
        let (state, _) = try await fetch(.init(size: bytes.count, sha1: Self.sha1(bytes))) { _, bytes in
            var response = FaultServer.Response(body: bytes)
            response.announced = length
            return response
        }
        guard case .failed = state else {
            Issue.record("failed")
            return
        }
        try expectNothing()
    }

    @Test(
        "DL-2 a file that is longer than the server describes ends with the first byte too many, and is not retried",
        arguments: [-1, 1_000_000_000_000], [nil, 5_000])
    func tooLong(_ announced: Int, _ resumedAt: Int?) async throws {
        let size = fixture.bytes(of: "one").count
        let (state, _) = try await fetch(.init(size: size)) { request, bytes in
            let isFirst = resumedAt != nil && request.headers["range"] == nil
            var response =
                isFirst ? FaultServer.Response.file(bytes, to: request) : .init(body: bytes + bytes + bytes)
            if isFirst {
                response.cutAfter = resumedAt
            } else {
                response.announced = announced
                // A client that waits for the end waits until the test ends.
                response.stallAfter = bytes.count * 2
            }
            return response
        }
        guard case .failed(let reason) = state else {
            Issue.record("failed: \(String(describing: state))")
            return
        }
        #expect(reason.contains("larger than \(size) bytes") && !reason.contains("tried"))
        #expect(asked == (resumedAt == nil ? 1 : 2))
        try expectNothing()
    }

    @Test(
        "DL-2 a file that changes between two attempts without changing its length is never mixed",
        arguments: [true, false])
    func changedFile(_ ignoresCondition: Bool) async throws {
        let old = fixture.bytes(of: "one").map { ~$0 }
        let (state, _) = try await fetch(times: ignoresCondition ? 2 : 1) { request, bytes in
            if request.headers["range"] == nil {
                var response = FaultServer.Response.file(old, to: request, entityTag: "\"old\"")
                response.cutAfter = 10_000
                return response
            }
            // A server that does not know If-Range gives the rest of the new one.
            var plain = request
            plain.headers["if-range"] = nil
            return .file(bytes, to: plain)
        }
        #expect(state == .done)
        try expectComplete()
    }

    @Test("DL-2 without an entity tag the time detects a changed file; without both the download starts again")
    func changedFileWithoutTag() async throws {
        let old = fixture.bytes(of: "one").map { ~$0 }
        for (before, after) in [
            ("Sat, 01 Nov 2025 12:00:00 GMT", "Sun, 02 Nov 2025 12:00:00 GMT"), (nil as String?, nil as String?),
        ] {
            let (state, queue) = try await fetch(times: 2) { request, bytes in
                var plain = request
                plain.headers["if-range"] = nil
                if request.headers["range"] != nil { return .file(bytes, to: plain, entityTag: nil, modified: after) }
                guard before != nil || old != bytes else { return .file(bytes, to: plain) }
                var response = FaultServer.Response.file(old, to: request, entityTag: nil, modified: before)
                response.cutAfter = 10_000
                return response
            }
            #expect(state == .done)
            try expectComplete()
            try await queue.clear()
            try FileManager.default.removeItem(atPath: fixture.library + "/one.jpg")
        }
    }

    @Test("DL-2 a file that was replaced by one with the same length and tag is detected by its SHA-1")
    func replacedWithSameTag() async throws {
        let bytes = fixture.bytes(of: "one")
        let (state, _) = try await fetch(.init(size: bytes.count, sha1: Self.sha1(bytes)), times: 1) { request, bytes in
            var response = FaultServer.Response.file(bytes.map { ~$0 }, to: request)
            response.cutAfter = 10_000
            return response
        }
        #expect(state == .done)
        try expectComplete()
        #expect(asked == 3 && fixture.server.requests.last?.headers["range"] == nil)
    }

    @Test("DL-2 from a server that ignores Range the file is downloaded from the beginning")
    func ignoredRange() async throws {
        let (state, _) = try await fetch(times: 2) { request, bytes in
            var response = FaultServer.Response(headers: [("ETag", "\"1\"")], body: bytes)
            if request.headers["range"] == nil { response.cutAfter = 10_000 }
            return response
        }
        #expect(state == .done)
        try expectComplete()
    }

    @Test(
        "DL-14 a busy server is retried, but not before its Retry-After, in seconds or as a date",
        arguments: [429, 503], ["120", "Fri, 15 Jan 2027 08:02:00 GMT"])
    func retryAfter(_ status: Int, _ wait: String) async throws {
        fixture.intercept { request in
            request.path == "/files/one" ? .init(status: status, headers: [("Retry-After", wait)]) : nil
        }
        let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        let queue = fixture.queue(now: { time.withLock { $0 } })
        try await queue.add([fixture.task("one")])
        let events = queue.events
        let run = Task { try await queue.run() }
        var ran = false
        for await event in events {
            if case .status(_, .running) = event { ran = true }
            if ran, case .status(_, .waiting) = event { break }
        }
        let row = try #require(try await queue.tasks().first)
        #expect(row.notBefore >= time.withLock { $0 } + 120 && row.attempts == 0)
        fixture.intercept { _ in nil }
        time.withLock { $0 += 121 }
        try await run.cancellableValue
        try expectComplete()
    }

    @Test("DL-2 a file whose checksum differs from the server's is never saved, except if the checksum is advisory")
    func checksum() async throws {
        let wrong = Self.sha1(Array("another".utf8))
        let (state, queue) = try await fetch(.init(sha1: wrong)) { request, bytes in .file(bytes, to: request) }
        guard case .failed(let reason) = state else {
            Issue.record("failed")
            return
        }
        #expect(reason.contains("checksum") && asked == 2)
        try expectNothing()
        try await queue.add([fixture.task("one", metadata: .init(sha1: wrong, isDigestAdvice: true))])
        try await queue.run()
        try expectComplete()
    }

    @Test("DL-13 hostile names never leave the folder, and equal ones never collide")
    func names() async throws {
        let names = [
            "../../escape.jpg", "/etc/passwd", "a\0b.jpg", String(repeating: "é", count: 300) + ".jpeg", "CON.txt",
            "..",
            "same.jpg", "same.jpg", "same.jpg", ".hidden", "line\nbreak.jpg",
        ]
        let queue = fixture.queue()
        try await queue.add(names.enumerated().map { fixture.task("id-\($0)", name: $1) })
        try await queue.run()
        let files = try fixture.files()
        #expect(files.count == names.count && files.allSatisfy { !$0.contains("/") && $0.utf8.count <= 255 })
        #expect(files.contains("same (2).jpg") && files.contains("same (3).jpg") && files.contains("_CON.txt"))
        #expect(!FileManager.default.fileExists(atPath: fixture.folder.path + "/escape.jpg"))
    }

    @Test("DL-13 a folder that is not writable is reported with the remedy")
    func refusedFolder() async throws {
        try Data().write(to: URL(fileURLWithPath: fixture.library))
        let queue = fixture.queue()
        try await queue.add([fixture.task("one")])
        await #expect { try await queue.run() } throws: { "\($0)".contains("Could not create the folder") }
    }

    @Test("DL-2 a login page is never saved as a picture")
    func loginPage() async throws {
        let (state, _) = try await fetch { _, _ in
            .init(
                headers: [("Content-Type", "text/html; charset=utf-8")],
                body: Array("<!DOCTYPE html><html><title>Sign in</title></html>".utf8))
        }
        guard case .failed = state else {
            Issue.record("failed: \(String(describing: state))")
            return
        }
        try expectNothing()
    }

    @Test(
        "DL-13 a missing file is skipped, a forbidden one fails, and neither is retried", arguments: [404, 410, 403])
    func refused(_ status: Int) async throws {
        let (state, _) = try await fetch { _, _ in
            .init(
                status: status, headers: [("Content-Type", "application/json")], body: Array(#"{"detail":"No"}"#.utf8))
        }
        switch state {
        case .skipped: #expect(status != 403)
        case .failed(let reason): #expect(status == 403 && reason.contains("denies access"))
        default: Issue.record("over")
        }
        #expect(asked == 1)
        try expectNothing()
    }
}
