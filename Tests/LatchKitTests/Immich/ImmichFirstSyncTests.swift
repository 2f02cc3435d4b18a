import Crypto
import Database
import Foundation
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// What a sign-in stores and opens at a scripted server, and what a sign-out deletes.
@Suite("IM-6 IM-11 The effects of signing in and out", .timeLimit(.minutes(10)))
struct ImmichFirstSyncTests {
    private static let picture = "GIF89a, the portrait of Ada"
    private let fixture: ImmichFixture

    init() throws { fixture = try ImmichFixture() }

    /// Serves a profile picture, and the time of the server.
    private func servePicture(
        _ picture: @escaping @Sendable () -> (version: String, body: String, path: String),
        _ other: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Response? = { _ in nil }
    ) {
        fixture.immich.intercept { [immich = fixture.immich] request in
            if let response = other(request) { return response }
            switch request.path {
            case "/api/users/me" where immich.state.withLock({ $0.live[request.token ?? ""] != nil }):
                var response = immich.me
                response.headers.append("Date", "Fri, 15 Jan 2027 08:00:07 GMT")
                response.body = response.body
                    .replacing(#""profileImagePath":"""#, with: #""profileImagePath":"\#(picture().path)""#)
                    .replacing(
                        #""profileChangedAt":"2026-01-01T00:00:00.000Z""#,
                        with: #""profileChangedAt":"\#(picture().version)""#)
                return response
            case "/api/users/\(ImmichScript.me)/profile-image":
                // Immich declares every picture as JPEG.
                return ScriptedServer.Response(headers: ["Content-Type": "image/jpeg"], body: picture().body)
            default: return nil
            }
        }
    }

    private func signIn(
        _ latch: LatchClient, onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")),
            to: try await fixture.server(latch), onStep: onStep)
    }

    @Test("IM-6 person, connection, access to pictures and first sync are effects in this order")
    func effects() async throws {
        let folder = try TemporaryDirectory()
        let latch = try await fixture.home.open()
        let isConnected = Mutex(false)
        let seen = Mutex<[String]>([])
        fixture.wire.serveRealTime { connection in
            ImmichRealTimeTests.accept(connection)
            isConnected.withLock { $0 = true }
            connection.send(#"42["on_upload_success",{"id":"early"}]"#)
            while connection.next() != nil {}
        }
        servePicture {
            (version: "1", body: Self.picture, path: "/a.gif")
        } _: { [home = fixture.home] request in
            guard request.path == "/api/albums" else { return nil }
            let person = Self.wait {
                let other = try await home.open()
                let account = try #require(try await other.accounts.activeAccount())
                let device = try await other.accounts.deviceID()
                await other.close()
                return "\(account.personID ?? "-") \(account.displayName) \(device.uuidString.isEmpty)"
            }
            let hasAccess = FileManager.default.fileExists(atPath: folder.file("made"))
            seen.withLock { $0.append("\(person) \(isConnected.withLock { $0 }) \(hasAccess)") }
            return nil
        }

        let steps = Mutex<[SignInProgress]>([])
        let account = try await signIn(latch) { step in
            steps.withLock { $0.append(step) }
            if step == .picturesNeeded {
                _ = FileManager.default.createFile(atPath: folder.file("made"), contents: nil)
            }
        }

        #expect(seen.withLock { $0 } == ["\(ImmichScript.me) Ada false true true"])
        #expect(steps.withLock { $0 }.contains(.realTimeOpened(isConnected: true)))
        // Another program finds all of it.
        let other = try await fixture.home.open()
        let sync = try #require(try await other.firstSync(of: account))
        #expect(sync.albums == 1 && sync.photographs == 12 && sync.videos == 3 && sync.version == "v3.1.0")
        // The server's clock is seven seconds ahead.
        #expect(sync.date == fixture.home.clock.now && sync.marker == fixture.home.clock.now.addingTimeInterval(7))
        #expect(try await other.profilePicture(of: account)?.bytes == Array(Self.picture.utf8))
        #expect(fixture.asked("/api/users/\(ImmichScript.me)/profile-image").count == 1)
        // The first reader gets what happened since the sign-in, without another connection.
        var updates = try latch.session(for: account).events().makeAsyncIterator()
        #expect(try await updates.next() == .connected)
        #expect(try await updates.next() == .event(.assetAdded(id: "early")))
        #expect(fixture.asked("/api/socket.io/").count == 1)
        await other.close()
        await latch.close()
    }

    @Test(
        "IM-6 IM-11 the connection of a sign-in is closed by signing out, closing the client and releasing it",
        arguments: ["signOut", "close", "release"])
    func closedConnection(by end: String) async throws {
        var latch: LatchClient? = try await fixture.home.open()
        let closed = AsyncStream<Void>.makeStream()
        fixture.wire.serveRealTime { connection in
            // The client must not close it for want of a heartbeat.
            ImmichRealTimeTests.accept(connection, pingInterval: 3_600_000)
            while connection.next() != nil {}
            closed.continuation.finish()
        }
        let account = try await signIn(try #require(latch))
        switch end {
        case "signOut": try await latch?.signOut(account)
        case "close": await latch?.close()
        default: latch = nil
        }
        for await _ in closed.stream {}
        await latch?.close()
    }

    @Test("IM-6 when too many updates wait for the first reader, it opens a connection of its own")
    func unreadUpdates() async throws {
        let latch = try await fixture.home.open()
        let closed = AsyncStream<Void>.makeStream()
        let isFirst = Shared(true)
        fixture.wire.serveRealTime { connection in
            ImmichRealTimeTests.accept(connection, pingInterval: 3_600_000)
            if isFirst.value {
                isFirst.value = false
                for number in 0..<OpenedRealTime.maximumUnread {
                    connection.send(#"42["on_upload_success",{"id":"\#(number)"}]"#)
                }
            }
            while connection.next() != nil {}
            closed.continuation.yield(())
        }
        let account = try await signIn(latch)
        for await _ in closed.stream { break }
        let session = try latch.session(for: account)
        try await eventually { session.openedRealTime.withLock { $0 == nil } }
        var updates = try session.events().makeAsyncIterator()
        #expect(try await updates.next() == .connected)
        #expect(fixture.asked("/api/socket.io/").count == 2)
        await latch.close()
    }

    @Test("IM-6 a session that is ended elsewhere right after the sign-in ends here without a reader of events")
    func endedElsewhere() async throws {
        let latch = try await fixture.home.open()
        let isReady = DispatchSemaphore(value: 0)
        fixture.wire.serveRealTime { [immich = fixture.immich] connection in
            ImmichRealTimeTests.accept(connection)
            isReady.wait()
            immich.set { $0.live = [:] }
            connection.send(#"42["on_session_delete","session-1"]"#)
            while connection.next() != nil {}
        }
        let account = try await signIn(latch)
        let states = try latch.session(for: account).stateUpdates
        isReady.signal()
        for await state in states { if case .signedOut(.ended) = state { break } }
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == false)
        await latch.close()
    }

    @Test("IM-6 a picture is renewed when the server announces another one, and deleted when there is none")
    func renewedPicture() async throws {
        let latch = try await fixture.home.open()
        let profile = Shared((version: "1", body: Self.picture, path: "/a.gif"))
        servePicture { profile.value }
        let account = try await signIn(latch)
        let session = try latch.session(for: account)
        #expect(try await latch.profilePicture(of: account)?.mediaType == "image/gif")

        // The old one is used until the server announces another.
        profile.value.body = "RIFF....WEBPVP8 , another portrait"
        #expect(try await latch.profilePicture(of: account)?.mediaType == "image/gif")
        profile.value.version = "2"
        _ = try await session.identity()
        #expect(try await latch.profilePicture(of: account)?.mediaType == "image/webp")
        #expect(fixture.asked("/api/users/\(ImmichScript.me)/profile-image").count == 2)

        // A server that fails does not cost the stored one.
        profile.value = ("3", "<!doctype html>", "/a.gif")
        _ = try await session.identity()
        #expect(try await latch.profilePicture(of: account)?.mediaType == "image/webp")

        profile.value.path = ""
        _ = try await session.identity()
        #expect(try await latch.profilePicture(of: account) == nil)
        #expect(try await latch.accounts.storedPicture(of: account.id)?.bytes == nil)
        await latch.close()
    }

    @Test(
        "IM-6 what is not a picture or is too large is not stored",
        arguments: ["", "<svg/>", "GIF89a" + String(repeating: "x", count: 1 << 20)])
    func noPicture(body: String) async throws {
        let latch = try await fixture.home.open()
        servePicture { (version: "1", body: body, path: "/a.gif") }
        let account = try await signIn(latch)
        await #expect(throws: LatchError.self) { try await latch.profilePicture(of: account) }
        #expect(try await latch.accounts.storedPicture(of: account.id)?.bytes == nil)
        #expect(try await latch.firstSync(of: account)?.albums == 1)
        await latch.close()
    }

    @Test("IM-6 a picture's type is that of its first bytes")
    func pictureTypes() {
        #expect(ProfilePicture([0xFF, 0xD8, 0xFF, 0xE0])?.mediaType == "image/jpeg")
        #expect(ProfilePicture([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])?.mediaType == "image/png")
        #expect(ProfilePicture(Array("GIF87a".utf8))?.mediaType == "image/gif")
        #expect(ProfilePicture([0xFF, 0xD8]) == nil && ProfilePicture(Array("RIFF....WAVE".utf8)) == nil)
    }

    @Test(
        "IM-6 IM-11 a first sync or picture that arrives after the session has ended is not stored",
        arguments: ["/api/albums", "/api/users/\(ImmichScript.me)/profile-image"], [true, false])
    func late(path: String, isSigningOut: Bool) async throws {
        let (latch, other) = (try await fixture.home.open(), try await fixture.home.open())
        servePicture {
            (version: "1", body: Self.picture, path: "/a.gif")
        } _: { request in
            guard request.path == path else { return nil }
            _ = Self.wait {
                let (accounts, reason) = (other.accounts, "an administrator ended it")
                let account = try #require(try await accounts.activeAccount())
                if isSigningOut {
                    try await other.signOut(account)
                } else if let record = try await accounts.record(account.id) {
                    _ = try await accounts.end(account.id, of: record.generation, because: reason)
                }
                return ""
            }
            return nil
        }
        let account = try await signIn(latch)
        #expect(try await latch.firstSync(of: account) == nil)
        let stored = try await latch.accounts.storedPicture(of: account.id)
        #expect(stored?.bytes == nil && stored?.announced == nil && (stored == nil) == isSigningOut)
        await other.close()
        await latch.close()
    }

    @Test("IM-6 a first sync that failed is not stored, and the next use performs it")
    func failedSync() async throws {
        let latch = try await fixture.home.open()
        let isDown = Shared(true)
        fixture.immich.intercept { request in
            isDown.value && ["/api/users/me", "/api/albums"].contains(request.path) ? .page(503) : nil
        }
        let account = try await signIn(latch)
        #expect(account.personID == ImmichScript.me)
        #expect(try await latch.firstSync(of: account) == nil)
        #expect(try await latch.completeFirstSync(of: account) == nil)
        isDown.value = false
        #expect(try await latch.completeFirstSync(of: account)?.albums == 1)
        #expect(try await latch.firstSync(of: account)?.albums == 1)
        let asked = fixture.asked("/api/albums").count
        #expect(try await latch.completeFirstSync(of: account)?.albums == 1)
        #expect(fixture.asked("/api/albums").count == asked)
        await latch.close()
    }

    @Test("IM-6 what arrived of a first sync is stored, and the next use repeats it until nothing is missing")
    func partialSync() async throws {
        let latch = try await fixture.home.open()
        let isDown = Shared(true)
        fixture.immich.intercept { isDown.value && $0.path == "/api/albums" ? .page(503) : nil }
        let account = try await signIn(latch)
        let partial = try #require(try await latch.firstSync(of: account))
        #expect(partial.albums == nil && partial.photographs == 12 && partial.version != nil)

        isDown.value = false
        fixture.immich.intercept { $0.path == "/api/assets/statistics" ? .page(503) : nil }
        let complete = try #require(try await latch.completeFirstSync(of: account))
        #expect(complete.albums == 1 && complete.photographs == 12 && complete.marker == partial.marker)
        let asked = fixture.asked("/api/albums").count
        #expect(try await latch.completeFirstSync(of: account) == complete)
        #expect(fixture.asked("/api/albums").count == asked)
        await latch.close()
    }

    @Test("IM-6 a request of the first sync that gets no response does not delay or discard the others")
    func slowSync() async throws {
        let latch = try await fixture.home.open()
        let release = DispatchSemaphore(value: 0)
        fixture.immich.intercept { request in
            guard request.path == "/api/albums" else { return nil }
            release.wait()
            release.signal()
            return nil
        }
        let account = try await signIn(latch)
        let partial = try #require(try await latch.firstSync(of: account))
        #expect(partial.albums == nil && partial.photographs == 12 && partial.version != nil)
        release.signal()
        #expect(try await latch.completeFirstSync(of: account)?.albums == 1)
        await latch.close()
    }

    @Test("IM-11 signing out leaves nothing of the account in any table, file or secret")
    func nothingLeft() async throws {
        let store = WatchedStore(fixture.home.secrets)
        let written = Shared<Set<SecretKey>>([])
        store.watch { act, key in if act == .write { written.change { keys in _ = keys.insert(key) } } }
        let latch = try await fixture.home.open(secrets: store)
        servePicture { (version: "1", body: Self.picture, path: "/a.gif") }
        let connection = ConnectionOptions(extraHeaders: ["X-Key": "the key of the first proxy"])
        let account = try await fixture.signIn(latch, connection: connection)
        let endpoint = Endpoint(
            id: UUID(), address: try ServerAddress("https://photos.example.org"),
            connection: StoredConnection(
                ConnectionOptions(extraHeaders: ["X-Key": "the key of another proxy"]), replacing: nil
            ).record)
        try await latch.accounts.add(
            endpoint, isLocal: true, person: ImmichScript.me,
            secret: StoredConnection(
                ConnectionOptions(extraHeaders: ["X-Key": "the key of another proxy"]), replacing: nil
            ).secret, to: account.id)
        try await latch.addWifiName("Home sweet home", of: account)
        _ = try await latch.session(for: account).client.cached("/api/albums")
        let texts = [
            account.id.uuidString.lowercased(), "ada@example.org", ImmichScript.me, Self.picture,
            "Home sweet home", "photos.example.org", "albumName\":\"Summer",
        ]
        // The test fails when a new table that belongs to accounts is not filled here.
        for (table, count) in try await latch.accounts.rows(of: account.id) {
            #expect(count == 1, "\(table) has \(count) rows of the account")
        }
        let before = try texts.filter { try fixture.home.files(holding: $0).isEmpty }
        #expect(before == [], "not stored at all")
        #expect(written.value.count == 3, "\(written.value)")

        try await latch.signOut(account)

        for (table, count) in try await latch.accounts.rows(of: account.id) {
            #expect(count == 0, "\(table) has \(count) rows of the account")
        }
        await latch.close()
        for text in texts {
            #expect(try fixture.home.files(holding: text) == [], "'\(text)' is left")
        }
        for key in written.value { #expect(try await fixture.home.secrets.read(key) == nil, "\(key)") }
    }

    @Test("IM-11 the person's data is deleted also when the secret store does not remove the token")
    func failingStore() async throws {
        let store = WatchedStore(fixture.home.secrets)
        let latch = try await fixture.home.open(secrets: store)
        servePicture { (version: "1", body: Self.picture, path: "/a.gif") }
        let account = try await signIn(latch)
        store.watch { act, _ throws(SecretStorageError) in
            if act == .remove { throw SecretStorageError(.io, "The store cannot be written.") }
        }
        await #expect(throws: LatchError.self) { try await latch.signOut(account) }
        #expect(try await latch.accounts.storedPicture(of: account.id)?.bytes == nil)
        #expect(try await latch.firstSync(of: account) == nil)
        await latch.close()
    }

    @Test("IM-11 a session that the server ended keeps account and addresses, and loses the person's data")
    func endedByServer() async throws {
        let latch = try await fixture.home.open()
        servePicture { (version: "1", body: Self.picture, path: "/a.gif") }
        let account = try await signIn(latch)
        try await latch.addWifiName("Home sweet home", of: account)
        _ = try await latch.session(for: account).client.cached("/api/albums")
        fixture.immich.set { $0.live = [:] }
        await #expect(throws: LatchError.self) { try await latch.session(for: account).identity() }

        let ended = try #require(try await latch.accounts.account(account.id))
        #expect(ended.endedBecause != nil && ended.personID == ImmichScript.me && ended.displayName == "Ada")
        #expect(try await latch.endpoints(of: account).wifiNames == ["Home sweet home"])
        #expect(try await latch.firstSync(of: account) == nil)
        #expect(try await latch.profilePicture(of: account) == nil)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        await latch.close()
        #expect(try fixture.home.files(holding: Self.picture) == [])
        #expect(try fixture.home.files(holding: "albumName\":\"Summer") == [])

        // The next sign-in uses the account again.
        let next = try await fixture.home.open()
        #expect(try await signIn(next).id == account.id)
        #expect(try await next.firstSync(of: account)?.albums == 1)
        #expect(try await next.profilePicture(of: account) != nil)
        await next.close()
    }

    /// Waits on a thread of the server's own.
    private static func wait(_ look: @escaping @Sendable () async throws -> String) -> String {
        let (done, result) = (DispatchSemaphore(value: 0), Shared("failed"))
        Task {
            if let text = try? await look() { result.value = text }
            done.signal()
        }
        done.wait()
        return result.value
    }
}

/// A value that several tasks change.
private final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func change(_ body: (inout Value) -> Void) { state.withLock { value in body(&value) } }
}

extension AccountStore {
    /// Returns how many rows each table has that belong to an account, for every table that refers to accounts.
    fileprivate func rows(of id: UUID) async throws -> [String: Int] {
        let tables = Statement(
            """
            SELECT m.name, f."from" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f \
            WHERE m.type = 'table' AND f."table" = 'accounts' UNION SELECT 'accounts', 'id'
            """
        ) { row throws(DatabaseError) in (try row.get(0) as String, try row.get(1) as String) }
        return try await database.read { connection in
            var counts: [String: Int] = [:]
            for (table, column) in try connection.all(tables) {
                let count = Statement("SELECT count(*) FROM \"\(table)\" WHERE \"\(column)\" = ?", UUID.self) {
                    row throws(DatabaseError) in try row.get(0) as Int
                }
                counts[table] = try connection.first(count, id)
            }
            return counts
        }
    }
}
