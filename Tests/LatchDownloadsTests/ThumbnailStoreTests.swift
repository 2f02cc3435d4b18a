import Foundation
import HTTPClient
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// Thumbnails of any server, also of a hostile one.
@Suite("Thumbnails", .timeLimit(.minutes(20)))
struct ThumbnailStoreTests {
    private static let image: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 1, count: 996)

    private static func id(_ number: Int) throws -> PictureID {
        try #require(PictureID(text: PictureServer.Picture.id(number)))
    }

    private static func answer(_ bytes: [UInt8] = image) -> FaultServer.Response {
        .init(
            headers: [("Content-Type", "image/jpeg"), ("Cache-Control", "private, max-age=86400"), ("ETag", "\"1\"")],
            body: bytes)
    }

    private static func server(
        _ response: @escaping @Sendable (FaultServer.Request) -> FaultServer.Response
    ) throws -> PictureServer {
        let server = try PictureServer([])
        server.intercept { $0.path.contains("/thumbnail") ? response($0) : nil }
        return server
    }

    /// The paths of the requests for thumbnails. The client sends others at any time, such as for events.
    private static func paths(_ server: PictureServer) -> [String] {
        server.server.requests.map(\.path).filter { $0.contains("/thumbnail") }
    }

    private static func requests(_ server: PictureServer) -> Int { paths(server).count }

    @Test(
        "DL-1 RM-9 a thumbnail is requested once: for many who wait, again from memory, and by another program from the disk"
    )
    func once() async throws {
        let server = try Self.server { _ in Self.answer() }
        try await LibraryFixture.with(server) { fixture in
            let store = ThumbnailStore(fixture.account, fixture.session)
            let id = try Self.id(1)
            let found = try await withThrowingTaskGroup(of: Thumbnail?.self) { group in
                for _ in 0..<50 { group.addTask { try await store.thumbnail(id) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found.count == 50 && found.allSatisfy { $0?.bytes == Self.image && $0?.mediaType == "image/jpeg" })
            #expect(Self.requests(server) == 1)
            await store.removeAll()
            #expect(try await store.thumbnail(id)?.bytes == Self.image)
            #expect(try await ThumbnailStore(fixture.account, fixture.session).thumbnail(id) != nil)
            #expect(Self.requests(server) == 1)
            #expect(Self.paths(server).first?.hasSuffix("/thumbnail?size=thumbnail") == true)
        }
    }

    @Test(
        "RM-9 stored thumbnails are removed when another account becomes active, and are in a file of the cache folder")
    func purge() async throws {
        let server = try Self.server { _ in Self.answer() }
        let other = try PictureServer([])
        try await LibraryFixture.with(server) { fixture in
            let id = try Self.id(1)
            #expect(try await ThumbnailStore(fixture.account, fixture.session).thumbnail(id) != nil)
            let path = fixture.home.path + "/cache/thumbnails.db"
            #expect(FileManager.default.fileExists(atPath: path))
            let found = try await fixture.latch.probe(ServerAddress(other.url)).requireServer()
            _ = try await fixture.latch.signIn(
                PasswordSignIn(email: PictureServer.email, password: Secret(PictureServer.password)), to: found)
            for suffix in ["", "-wal"] {
                let bytes = FileManager.default.contents(atPath: path + suffix).map(Array.init) ?? []
                #expect(bytes.firstRange(of: Self.image) == nil)
            }
            #expect(try await ThumbnailStore(fixture.account, fixture.session).thumbnail(id) != nil)
            #expect(Self.requests(server) == 2)
        }
    }

    @Test("DL-1 a few requests run at the same time, and one that nobody waits for is never sent")
    func limit() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try Self.server { _ in
            gate.wait()
            return Self.answer()
        }
        try await LibraryFixture.with(server) { fixture in
            let store = ThumbnailStore(fixture.account, fixture.session)
            let tasks = try (0..<40).map { number in
                let id = try Self.id(number)
                return Task { try await store.thumbnail(id) }
            }
            try await eventually { Self.requests(server) == ThumbnailStore.parallelRequests }
            try await eventually { await store.requestCount == 40 }
            // All but the running ones leave.
            let running = Set(Self.paths(server))
            for (number, task) in tasks.enumerated()
            where !running.contains(where: { $0.contains(PictureServer.Picture.id(number)) }) {
                task.cancel()
            }
            try await eventually { await store.requestCount == ThumbnailStore.parallelRequests }
            for _ in 0..<40 { gate.signal() }
            var found = 0
            for task in tasks where (try? await task.value) != nil { found += 1 }
            #expect(found == ThumbnailStore.parallelRequests)
            #expect(Self.requests(server) == ThumbnailStore.parallelRequests)
        }
    }

    @Test("DL-1 a request that nobody waits for any more ends, and its place is free again")
    func cancellation() async throws {
        let server = try Self.server { request in
            var answer = Self.answer()
            // The first pictures never come.
            if !request.path.contains(PictureServer.Picture.id(99)) { answer.stallAfter = 10 }
            return answer
        }
        try await LibraryFixture.with(server) { fixture in
            let store = ThumbnailStore(fixture.account, fixture.session)
            let tasks = try (0..<ThumbnailStore.parallelRequests).map { number in
                let id = try Self.id(number)
                return Task { try await store.thumbnail(id) }
            }
            try await eventually { Self.requests(server) == ThumbnailStore.parallelRequests }
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            #expect(try await store.thumbnail(Self.id(99))?.bytes == Self.image)
        }
    }

    @Test(
        "DL-1 what is no small image is no thumbnail, and is not requested again",
        arguments: ["text", "huge", "endless", "gone", "svg", "empty"])
    func hostile(_ kind: String) async throws {
        let server = try Self.server { _ in
            var answer = Self.answer()
            switch kind {
            case "text": answer.body = Array("no image".utf8)
            case "svg": answer.body = Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
            case "empty": answer.body = []
            case "huge": answer.body = Self.image + [UInt8](repeating: 1, count: 5 << 20)
            case "endless":
                answer.body = Self.image + [UInt8](repeating: 1, count: 5 << 20)
                answer.announced = -1
            default:
                answer = .init(status: 404, headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
            }
            return answer
        }
        try await LibraryFixture.with(server) { fixture in
            let store = ThumbnailStore(fixture.account, fixture.session)
            let id = try Self.id(1)
            for _ in 0..<2 { #expect(try await store.thumbnail(id) == nil) }
            #expect(Self.requests(server) == 1)
            #expect(await store.memoryBytes == 0)
        }
    }

    @Test(
        "DL-1 a page of a portal and a redirect to another server are no thumbnails, and are not followed",
        arguments: [true, false])
    func portal(isPage: Bool) async throws {
        let server = try Self.server { _ in
            isPage
                ? Self.answer(Array("<html><script>alert(1)</script></html>".utf8))
                : .init(status: 302, headers: [("Location", "http://127.0.0.1:1/other")])
        }
        try await LibraryFixture.with(server) { fixture in
            let (store, id) = (ThumbnailStore(fixture.account, fixture.session), try Self.id(1))
            let error = await #expect(throws: LatchError.self) { try await store.thumbnail(id) }
            #expect(error?.code == .interceptedResponse)
            #expect(await store.memoryBytes == 0)
        }
    }

    @Test("DL-1 a server that fails is asked again later, and another size that it names is fetched")
    func retries() async throws {
        let fails = Mutex(true)
        let server = try Self.server { request in
            if request.path.hasSuffix("size=preview") { return Self.answer() }
            let place = request.path.replacingOccurrences(of: "size=thumbnail", with: "size=preview")
            return fails.withLock(\.self) ? .init(status: 503) : .init(status: 302, headers: [("Location", place)])
        }
        try await LibraryFixture.with(server) { fixture in
            let store = ThumbnailStore(fixture.account, fixture.session)
            let id = try Self.id(1)
            await #expect(throws: LatchError.self) { try await store.thumbnail(id) }
            fails.withLock { $0 = false }
            #expect(try await store.thumbnail(id)?.bytes == Self.image)
        }
    }

    @Test("DL-1 the thumbnails in memory stay below their limit, and those used last stay")
    func bound() throws {
        var memory = ThumbnailMemory(limit: 100_000)
        let thumbnail = try #require(Thumbnail(Self.image))
        let first = PictureID(UUID())
        memory.insert(thumbnail, for: first)
        for _ in 0..<10_000 {
            memory.insert(thumbnail, for: PictureID(UUID()))
            #expect(memory.bytes <= 100_000)
            #expect(memory.find(first) != nil)
        }
        memory.insert(thumbnail, for: first)
        #expect(memory.bytes <= 100_000 && memory.bytes > 50_000)
        memory.removeAll()
        #expect(memory.bytes == 0 && memory.find(first) == nil)
    }
}
