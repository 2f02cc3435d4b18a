import Dispatch
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayDialects
@testable import LatchGateway
@testable import PictureLibrary

/// What one person may occupy with reads of the picture library.
@Suite("Shares of the reads of the picture library", .timeLimit(.minutes(20)))
struct AssetReadShareTests {
    /// A request that reads the library. Every person of the fixture may send it.
    enum Route: CaseIterable {
        case search, statistics, albums, album, months, month, monthOfAlbum, plan, planOfAlbum, planOfFiles, archive

        func send(_ fixture: AssetFixture, _ shared: Shared, as token: String) async throws -> Exchange.Response {
            let files: JSONValue = ["assetIds": [.string(shared.file)]]
            switch self {
            case .search: return try await fixture.post("/search/metadata", ["originalFileName": "none"], as: token)
            case .statistics: return try await fixture.get("/assets/statistics", as: token)
            case .albums: return try await fixture.get("/albums", as: token)
            case .album: return try await fixture.get("/albums/\(shared.album)", as: token)
            case .months: return try await fixture.get("/timeline/buckets", as: token)
            case .month: return try await fixture.get("/timeline/bucket?timeBucket=2026-11-01", as: token)
            case .monthOfAlbum:
                return try await fixture.get(
                    "/timeline/bucket?timeBucket=2026-11-01&albumId=\(shared.album)", as: token)
            case .plan:
                let person = try await fixture.get("/users/me", as: token).json?["id"]
                return try await fixture.post("/download/info", ["userId": person ?? .null], as: token)
            case .planOfAlbum:
                return try await fixture.post("/download/info", ["albumId": .string(shared.album)], as: token)
            case .planOfFiles: return try await fixture.post("/download/info", files, as: token)
            case .archive: return try await fixture.post("/download/archive", files, as: token)
            }
        }
    }

    /// The ids of the file and the album of everybody.
    struct Shared {
        let file: String
        let album: String

        init(_ fixture: AssetFixture) async throws {
            file = try await fixture.id("all.png")
            let albums = try await fixture.get("/albums").json?.array ?? []
            album = try #require(albums.first { $0["albumName"] == "Family" }?["id"]?.string)
        }
    }

    /// Runs `body` while a read of a person occupies the person's turn and a connection for long reads.
    private static func holding(
        _ owners: AssetOwners, in store: AssetStore, _ body: () async throws -> Void
    ) async throws {
        let gate = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let held = Task {
            try await store.read(for: owners) { _ in
                start.yield()
                gate.wait()
            }
        }
        for await _ in started { break }
        try await attempt {
            try await body()
        } finally: {
            gate.signal()
            // PostgreSQL ends a transaction that pauses for long.
            _ = await held.result
        }
    }

    @Test("a person whose reads wait gets 503 for the next one, and nobody else waits", arguments: Route.allCases)
    func share(route: Route) async throws {
        try await AssetFixture.with { fixture in
            let store = try #require(fixture.immich.base.gateway.library).store
            let (shared, bob) = (try await Shared(fixture), try await fixture.bobsToken())
            let ada = AssetOwners(try await fixture.immich.person())
            try await Self.holding(ada, in: store) { () async throws in
                let waiting = (0..<ReadQueue.maximumWaiting).map { _ in Task { try await store.read(for: ada) { _ in } }
                }
                try await eventually { store.reads.waitingCount(of: ada.id) >= waiting.count }
                let refused = try await route.send(fixture, shared, as: fixture.token)
                #expect(refused.status == 503 && refused.headers["Retry-After"] == "1")
                #expect([200, 201].contains(try await route.send(fixture, shared, as: bob).status))
                #expect(try await fixture.immich.login().status == 201)
                for task in waiting { task.cancel() }
                for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
            }
            #expect([200, 201].contains(try await route.send(fixture, shared, as: fixture.token).status))
        }
    }

    @Test("sign-ins and files do not wait when two people occupy all connections for long reads")
    func signIns() async throws {
        try await AssetFixture.with { fixture in
            let store = try #require(fixture.immich.base.gateway.library).store
            let file = try await fixture.id("Clip.mp4")
            store.invalidateCache()
            try await Self.holding(LibraryFixture.owners("bob@example.org"), in: store) { () async throws in
                try await Self.holding(LibraryFixture.owners("cleo@example.org"), in: store) { () async throws in
                    #expect(try await fixture.immich.login().status == 201)
                    #expect(try await fixture.get("/users/me").status == 200)
                    #expect(try await fixture.get("/assets/\(file)").status == 200)
                }
            }
            #expect(try await fixture.search().count == 4)
        }
    }

    @Test("a read that waits is dropped when its client disconnects")
    func disconnection() async throws {
        try await AssetFixture.with { fixture in
            let store = try #require(fixture.immich.base.gateway.library).store
            let ada = AssetOwners(try await fixture.immich.person())
            try await Self.holding(ada, in: store) { () async throws in
                var socket: RawSocket? = try RawSocket(port: Int(fixture.immich.base.http.port))
                try socket?.write(
                    "POST /immich/api/search/metadata HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(fixture.token)"
                        + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                try await eventually { store.reads.waitingCount(of: ada.id) > 0 }
                socket = nil
                try await eventually { store.reads.waitingCount(of: ada.id) == 0 }
            }
        }
    }
}
