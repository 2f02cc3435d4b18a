import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// What a sign-in stores and opens at a scripted server.
@Suite("IM-6 The effects of signing in", .timeLimit(.minutes(10)))
struct ImmichFirstSyncTests {
    private let fixture: ImmichFixture

    init() throws { fixture = try ImmichFixture() }

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
        fixture.servePicture {
            (version: "1", body: ImmichFixture.picture, path: "/a.gif")
        } _: { [home = fixture.home] request in
            guard request.path == "/api/albums" else { return nil }
            let person = waitOnThread {
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
        let account = try await fixture.signIn(latch) { step in
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
        #expect(try await other.profilePicture(of: account)?.bytes == Array(ImmichFixture.picture.utf8))
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
        let account = try await fixture.signIn(try #require(latch))
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
        let account = try await fixture.signIn(latch)
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
        let account = try await fixture.signIn(latch)
        let states = try latch.session(for: account).stateUpdates
        isReady.signal()
        for await state in states { if case .signedOut(.ended) = state { break } }
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == false)
        await latch.close()
    }

    @Test("IM-6 a picture is renewed when the server announces another one, and deleted when there is none")
    func renewedPicture() async throws {
        let latch = try await fixture.home.open()
        let profile = Shared((version: "1", body: ImmichFixture.picture, path: "/a.gif"))
        fixture.servePicture { profile.value }
        let account = try await fixture.signIn(latch)
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
        fixture.servePicture { (version: "1", body: body, path: "/a.gif") }
        let account = try await fixture.signIn(latch)
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
        fixture.servePicture {
            (version: "1", body: ImmichFixture.picture, path: "/a.gif")
        } _: { request in
            guard request.path == path else { return nil }
            _ = waitOnThread {
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
        let account = try await fixture.signIn(latch)
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
        let account = try await fixture.signIn(latch)
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
        let account = try await fixture.signIn(latch)
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
        let account = try await fixture.signIn(latch)
        let partial = try #require(try await latch.firstSync(of: account))
        #expect(partial.albums == nil && partial.photographs == 12 && partial.version != nil)
        release.signal()
        #expect(try await latch.completeFirstSync(of: account)?.albums == 1)
        await latch.close()
    }
}
