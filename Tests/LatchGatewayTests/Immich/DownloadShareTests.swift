import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import PictureLibrary

/// What one person may occupy with archives and timelines that are read slowly.
@Suite("Shares of archives and timelines", .timeLimit(.minutes(20)))
struct DownloadShareTests {
    /// Opens a request whose response is not read, and returns once its head has arrived.
    private static func slow(
        _ method: String, _ path: String, _ fixture: AssetFixture, _ token: String, body: String? = nil
    ) throws -> RawSocket {
        let socket = try RawSocket(port: Int(fixture.immich.base.http.port))
        let fields = body.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n" } ?? ""
        try socket.write(
            "\(method) /immich/api\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\(fields)\r\n"
                + (body ?? ""))
        let head = String(decoding: try socket.readSome(), as: UTF8.self)
        #expect(head.hasPrefix("HTTP/1.1 200"), "\(head)")
        return socket
    }

    @Test("four slow archives of a person are all that the person gets, and nobody else waits for them")
    func archives() async throws {
        try await AssetFixture.with { fixture in
            for name in ["ada@example.org/large.mp4", "bob@example.org/big.mp4"] {
                try AssetFixture.put("", at: name, in: fixture.folder)
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.folder.file(name)))
                try file.truncate(atOffset: 64 << 20)
                try file.close()
            }
            try await fixture.immich.base.gateway.readLibrary()
            let body: JSONValue = ["assetIds": [.string(try await fixture.id("large.mp4"))]]
            let text = String(decoding: body.encoded(), as: UTF8.self)
            var sockets: [RawSocket] = []
            for _ in 0..<AssetLibrary.maximumArchives {
                sockets.append(try Self.slow("POST", "/download/archive", fixture, fixture.token, body: text))
            }
            let refused = try await fixture.post("/download/archive", body)
            #expect(refused.status == 503)
            let bobs: JSONValue = ["assetIds": [.string(try await fixture.id("big.mp4", of: AssetFixture.bob))]]
            let bob = try await fixture.bobsToken()
            let other = try Self.slow(
                "POST", "/download/archive", fixture, bob, body: String(decoding: bobs.encoded(), as: UTF8.self))
            sockets.removeLast()
            let small: JSONValue = ["assetIds": [.string(try await fixture.id("Clip.mp4"))]]
            while try await fixture.post("/download/archive", small).status == 503 { await Task.yield() }
            withExtendedLifetime((sockets, other)) {}
        }
    }

    @Test("an archive is cut off after the end of its session, and only then", arguments: [true, false])
    func ended(_ signsOut: Bool) async throws {
        try await AssetFixture.with { fixture in
            let size = 16 << 20
            try AssetFixture.put("", at: "ada@example.org/large.mp4", in: fixture.folder)
            let file = try FileHandle(
                forWritingTo: URL(fileURLWithPath: fixture.folder.file("ada@example.org/large.mp4")))
            try file.truncate(atOffset: UInt64(size))
            try file.close()
            try await fixture.immich.base.gateway.readLibrary()
            let body: JSONValue = ["assetIds": [.string(try await fixture.id("large.mp4"))]]
            let socket = try Self.slow(
                "POST", "/download/archive", fixture, fixture.token,
                body: String(decoding: body.encoded(), as: UTF8.self))
            if signsOut { _ = try await fixture.immich.send("POST", "/auth/logout", fixture.token) }
            fixture.immich.base.clock.advance(6)
            // The first bytes were read with the head.
            let most = size - 131_072
            let received = await BackgroundThread.run {
                var received = 0
                while received < most, let count = try? socket.readSome().count, count > 0 { received += count }
                return received
            }
            #expect((received < most) == signsOut, "\(received) bytes arrived.")
        }
    }

    @Test("an archive is not cut off while the database is unavailable")
    func unavailable() async throws {
        try await GatewayFixture.with { fixture in
            _ = try await fixture.addPerson()
            let token = try await fixture.token()
            let session = try #require(try await fixture.gateway.issuer.authenticate(token).session)
            let stores = try await fixture.otherProcess()
            let clock = fixture.clock
            let check = try await RequestActor.checkingWrites(now: { clock.now }) {
                RequestActor.identify(.session(session.id))
                return RequestActor.checkWhileSending(stores.database)
            }
            await stores.close()
            clock.advance(6)
            try await check?()
            #expect(check != nil)
        }
    }

    @Test("a place for a response is free again after it is left, once, and after its last reference")
    func places() {
        let places = ResponsePlaces(2)
        let first = places.take(for: "ada")
        var second = places.take(for: "ada")
        #expect(first != nil && second != nil && places.take(for: "ada") == nil && places.take(for: "bob") != nil)
        first?.leave()
        first?.leave()
        #expect(places.count(of: "ada") == 1 && places.count(of: "bob") == 0)
        second = nil
        #expect(second == nil && places.count(of: "ada") == 0)
    }

    @Test("DL-3 an archive has at most 5,000 files")
    func count() async throws {
        try await AssetFixture.with { fixture in
            let ids = (0...AssetLibrary.maximumArchiveFiles).map { _ in JSONValue.string(UUID().uuidString.lowercased())
            }
            let response = try await fixture.post("/download/archive", ["assetIds": .array(ids)])
            #expect(response.status == 400 && response.refusal?.contains("/download/info") == true)
        }
    }

    @Test("sixteen months of a timeline that are read slowly are all that a person gets")
    func months() async throws {
        try await AssetFixture.with { fixture in
            let library = try #require(fixture.immich.base.gateway.library)
            let ada = try await fixture.immich.base.gateway.stores.people.require(GatewayFixture.email)
            let person = ada.id.uuidString.lowercased()
            let held = (0..<AssetLibrary.maximumMonths).compactMap { _ in library.months.take(for: person) }
            let month = "/timeline/bucket?timeBucket=2026-11-01"
            #expect(try await fixture.get(month).status == 503)
            #expect(try await fixture.get(month, as: fixture.bobsToken()).status == 200)
            held.first?.leave()
            #expect(try await fixture.get(month).status == 200)
            #expect(try await fixture.get(month).status == 200, "A response that is sent leaves its place.")
        }
    }

    @Test("DL-3 four lists of archives that are read slowly are all that a person gets")
    func plans() async throws {
        try await AssetFixture.with { fixture in
            let library = try #require(fixture.immich.base.gateway.library)
            let person = try await fixture.immich.person().id.uuidString.lowercased()
            let held = (0..<AssetLibrary.maximumPlans).compactMap { _ in library.plans.take(for: person) }
            let files: JSONValue = ["assetIds": []]
            let refused = try await fixture.post("/download/info", files)
            #expect(refused.status == 503 && refused.headers["Retry-After"] != nil)
            #expect(try await fixture.post("/download/info", files, as: fixture.bobsToken()).status == 201)
            held.first?.leave()
            #expect(try await fixture.post("/download/info", files).status == 201)
            #expect(
                try await fixture.post("/download/info", files).status == 201, "A list that is sent leaves its place.")
        }
    }
}
