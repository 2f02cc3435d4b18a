import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing
import WebSockets

@testable import Database
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import PictureLibrary

/// The events about files of the picture library, over raw sockets.
@Suite("The events of the picture library", .blocking, .timeLimit(.minutes(5)))
struct ImmichAssetEventTests {
    /// A gateway that runs, and a real-time connection of Ada.
    private struct Watched {
        let fixture: AssetFixture
        let peer: WebSocketPeer

        var base: GatewayFixture { fixture.immich.base }

        /// Writes a file and reads the library.
        func put(_ text: String, at name: String) async throws {
            try AssetFixture.put(text, at: name, in: fixture.folder)
            try await base.gateway.readLibrary()
        }

        func move(_ name: String, to other: String) async throws {
            try FileManager.default.moveItem(
                atPath: fixture.folder.file(name), toPath: fixture.folder.file(other))
            try await base.gateway.readLibrary()
        }

        /// The next event of the connection and its argument.
        func next() throws -> (name: String, argument: JSONValue) {
            let text = try #require(try peer.text())
            try #require(text.hasPrefix("42"), "\(text)")
            let parts = try #require(try JSONValue(parsing: Array(text.utf8.dropFirst(2))).array)
            return (try #require(parts.first?.string), parts.count > 1 ? parts[1] : .null)
        }

        /// The next event, which must have this name. Returns the name of the file, or its id.
        func next(_ name: String) throws -> String? {
            let event = try next()
            #expect(event.name == name)
            return event.argument.string ?? event.argument["originalFileName"]?.string
        }
    }

    private static let path = "/immich/api/socket.io/?EIO=4&transport=websocket"

    private func with(_ body: (Watched) async throws -> Void) async throws {
        try await AssetFixture.with { fixture in
            let base = fixture.immich.base
            let routes = try #require(base.gateway.dialects.lazy.compactMap { $0 as? ImmichRoutes }.first)
            // Without the rest of the gateway, which reads the library at times that a test does not control.
            let running = Task { await routes.realTime.run(clock: .continuous) }
            defer { running.cancel() }
            try await eventually { await routes.realTime.hasReadChanges }
            try await body(Watched(fixture: fixture, peer: connect(base, fixture.token)))
        }
    }

    /// Opens a connection and reads up to the version of the server.
    private func connect(_ base: GatewayFixture, _ token: String) throws -> WebSocketPeer {
        let peer = try WebSocketPeer(
            RawSocket(port: Int(base.http.port)), Self.path, headers: GatewayFixture.bearer(token))
        _ = try peer.text()
        try peer.send("40")
        _ = try peer.text()
        #expect(try peer.text()?.contains("on_server_version") == true)
        return peer
    }

    @Test("IM-6 a new file is reported to its owner, as the search describes it")
    func added() async throws {
        try await with { watched in
            try await watched.put("new", at: "ada@example.org/See/new.jpg")
            let (name, asset) = try watched.next()
            #expect(name == "on_upload_success")
            let found = try await watched.fixture.search(["originalFileName": "new.jpg", "withExif": true])
            #expect(try found.map(object) == [object(asset)])
        }
    }

    /// A JSON object without an order of its members.
    private func object(_ value: JSONValue) throws -> NSDictionary? {
        try JSONSerialization.jsonObject(with: Data(value.encoded())) as? NSDictionary
    }

    @Test("IM-6 a changed, a moved and a removed file are reported")
    func changed() async throws {
        try await with { watched in
            let id = try await watched.fixture.id("Clip.mp4")
            try await watched.put("another film", at: "ada@example.org/Clip.mp4")
            #expect(try watched.next("on_asset_update") == "Clip.mp4")
            try await watched.move("ada@example.org/Clip.mp4", to: "ada@example.org/See/Film.mp4")
            #expect(try watched.next("on_asset_update") == "Film.mp4")
            try FileManager.default.removeItem(atPath: watched.fixture.folder.file("ada@example.org/See/Film.mp4"))
            try await watched.base.gateway.readLibrary()
            #expect(try watched.next("on_asset_delete") == id)
        }
    }

    @Test("IM-6 another person's files are not reported, and shared ones are")
    func owners() async throws {
        try await with { watched in
            try await watched.put("shed", at: "bob@example.org/new.jpg")
            try await watched.put("all", at: "shared/Family/new.png")
            let (name, asset) = try watched.next()
            #expect(name == "on_upload_success")
            #expect(asset["originalFileName"] == "new.png")
            #expect(asset["ownerId"]?.string == ImmichAssetResponses.everybody)
            // A file that another person takes is no longer listed for the first owner.
            try await watched.move("ada@example.org/Clip.mp4", to: "bob@example.org/Clip.mp4")
            let moved = try watched.next()
            #expect(moved.name == "on_asset_hidden")
            #expect(moved.argument.string == (try await watched.fixture.id("Clip.mp4", of: AssetFixture.bob)))
        }
    }

    @Test("IM-15 locked files are not reported to an unlocked session, and a file that is locked is reported as hidden")
    func locked() async throws {
        try await with { watched in
            try await watched.fixture.elevate()
            try await watched.put("another secret", at: "ada@example.org/.locked/secret.jpg")
            try await watched.put("new secret", at: "ada@example.org/.locked/new.jpg")
            try await watched.move("ada@example.org/.locked/new.jpg", to: "ada@example.org/See/open.jpg")
            #expect(try watched.next("on_upload_success") == "open.jpg")
            let id = try await watched.fixture.id("open.jpg")
            try await watched.move("ada@example.org/See/open.jpg", to: "ada@example.org/.locked/open.jpg")
            #expect(try watched.next("on_asset_hidden") == id)
        }
    }

    @Test("IM-6 a change that another gateway on the same database makes is reported")
    func otherGateway() async throws {
        try await with { watched in
            let other = try await watched.base.otherProcess()
            // The folder is unchanged, so that this gateway does not find it by itself.
            _ = try await other.database.write {
                try $0.run(Statement("UPDATE assets SET updated_at = updated_at + 1 WHERE name = 'Clip.mp4'"))
            }
            await watched.base.gateway.detectExternalWrites()
            #expect(try watched.next("on_asset_update") == "Clip.mp4")
            await other.close()
        }
    }

    @Test("IM-6 of many changes at once the last ones are reported")
    func burst() async throws {
        try await with { watched in
            let last = (try await watched.fixture.id("Clip.mp4"))
            for number in 10..<60 {
                try AssetFixture.put("\(number)", at: "ada@example.org/\(number).jpg", in: watched.fixture.folder)
            }
            try FileManager.default.removeItem(atPath: watched.fixture.folder.file("ada@example.org/Clip.mp4"))
            try await watched.base.gateway.readLibrary()
            // The changes of one scan may be divided between two readings.
            var names: [String] = []
            while names.last != last {
                let event = try watched.next()
                names.append(event.argument.string ?? event.argument["originalFileName"]?.string ?? "")
            }
            #expect(names.count > AssetChangeReader.maximumListed)
            #expect(names.count <= 2 * AssetChangeReader.maximumListed + 1)
        }
    }

    @Test("IM-6 when more files are removed than are reported, the connections end so that the clients search again")
    func manyRemoved() async throws {
        try await with { watched in
            let others = try connect(watched.base, try await watched.fixture.bobsToken())
            for number in 0..<210 {
                try AssetFixture.put("\(number)", at: "ada@example.org/Sea/\(number).jpg", in: watched.fixture.folder)
            }
            try await watched.base.gateway.readLibrary()
            let gateway = watched.base.gateway
            _ = try await gateway.stores.database.write {
                try $0.run(Statement("DELETE FROM assets WHERE folder = 'ada@example.org/Sea'"))
            }
            gateway.library?.store.invalidateCache()
            while case .text = try watched.peer.next() {}
            // Connections of people who cannot see the files are still open.
            try others.send("40/other,")
            #expect(try others.text() == #"44/other,{"message":"Invalid namespace"}"#)
        }
    }

    @Test("IM-6 a person gets no events of a folder after losing the access to it")
    func changedAddress() async throws {
        try await with { watched in
            let other = try await watched.base.otherProcess()
            // As a provider that reports another address does.
            _ = try await other.database.write {
                try $0.run(Statement("UPDATE people SET email = 'eve@example.org' WHERE email = 'ada@example.org'"))
            }
            try await watched.put("new", at: "ada@example.org/new.jpg")
            try await watched.put("new", at: "eve@example.org/own.jpg")
            #expect(try watched.next("on_upload_success") == "own.jpg")
            await other.close()
        }
    }

    @Test("IM-6 when changes are missing, the connections end so that the clients search again")
    func missing() async throws {
        try await with { watched in
            _ = try await watched.base.gateway.stores.database.write { connection in
                try connection.run(Statement("UPDATE assets SET updated_at = updated_at + 1 WHERE name = 'Clip.mp4'"))
                try connection.run(Statement("DELETE FROM asset_changes"))
            }
            try await watched.put("new", at: "ada@example.org/new.jpg")
            #expect(try watched.peer.next() == .close(1000))
        }
    }

    @Test("IM-6 the database keeps the last 10,000 changes")
    func trimmed() async throws {
        try await AssetFixture.with { fixture in
            let database = fixture.immich.base.gateway.stores.database
            let counts = try await database.write { connection in
                try connection.run(
                    Statement(
                        """
                        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)
                        INSERT INTO asset_changes (asset, owner, change) SELECT i, 'ada@example.org', 'changed' FROM n
                        """))
                return try connection.first(
                    Statement("SELECT count(*), max(number) - min(number) FROM asset_changes") {
                        row throws(DatabaseError) in [try row.get(0) as Int, try row.get(1) as Int]
                    })
            }
            #expect(counts == [10_000, 9_999])
        }
    }
}
