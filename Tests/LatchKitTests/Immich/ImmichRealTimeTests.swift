import Crypto
import Desktop
import Dispatch
import Synchronization
import TestSupport
import Testing
import WebSockets

@testable import LatchKit

/// Real-time connections to a scripted server.
@Suite("IM-6 Real time at a scripted server", .timeLimit(.minutes(10)))
struct ImmichRealTimeTests {
    private static func open(_ pingInterval: Int) -> String {
        #"0{"sid":"s","upgrades":[],"pingInterval":\#(pingInterval),"pingTimeout":20000,"maxPayload":1000000}"#
    }

    /// Accepts a connection as a Socket.IO server does.
    static func accept(_ connection: WebSocketServer.Connection, pingInterval: Int = 25_000) {
        connection.accept()
        connection.send(open(pingInterval))
        guard connection.next() == .text("40") else { return }
        connection.send(#"40{"sid":"t"}"#)
    }

    /// Signs in, and returns the session and its updates, with attempts that follow the shortest pauses.
    private func session(
        _ fixture: ImmichFixture, _ latch: LatchClient, network: AsyncStream<NetworkState>? = nil,
        connection: ConnectionOptions = .init()
    ) async throws -> (Session, RealTimeUpdates) {
        // A sign-in that requires a new password opens no connection of its own.
        fixture.immich.set { $0.mustChange = true }
        let account = try await fixture.signIn(latch, connection: connection)
        fixture.immich.set { $0.mustChange = false }
        let session = try latch.session(for: account)
        await session.restore()
        var updates = try session.events()
        updates.network = network ?? AsyncStream { $0.yield(.unwatched) }
        updates.random = { 0 }
        return (session, updates)
    }

    @Test("IM-6 Events arrive, and a new connection follows a lost one")
    func reconnects() async throws {
        let fixture = try ImmichFixture()
        let count = Mutex(0)
        fixture.wire.serveRealTime { connection in
            Self.accept(connection)
            connection.send(#"42["on_upload_success",{"id":"\#(count.withLock { $0 += 1; return $0 })"}]"#)
            if count.withLock({ $0 }) > 1 { _ = connection.next() }
        }
        let latch = try await fixture.home.open()
        let (_, updates) = try await session(fixture, latch)

        var all: [RealTimeUpdate] = []
        for try await update in updates {
            all.append(update)
            if all.count == 5 { break }
        }

        #expect(
            all == [
                .connected, .event(.assetAdded(id: "1")), .disconnected("The server closed the connection."),
                .connected, .event(.assetAdded(id: "2")),
            ])
        let asked = fixture.asked("/api/socket.io/")
        #expect(asked.allSatisfy { $0.headers["Authorization"] == "Bearer token-number-1" })
        #expect(asked.allSatisfy { $0.path == "/api/socket.io/?EIO=4&transport=websocket" })
        await latch.close()
    }

    @Test("IM-9 The token is in x-immich-user-token when the person sets Authorization")
    func otherField() async throws {
        let fixture = try ImmichFixture()
        fixture.wire.serveRealTime { connection in
            Self.accept(connection)
            _ = connection.next()
        }
        let latch = try await fixture.home.open()
        let options = ConnectionOptions(extraHeaders: ["Authorization": "Basic cHJveHk6a2V5"])
        let (_, updates) = try await session(fixture, latch, connection: options)

        for try await _ in updates { break }

        let asked = try #require(fixture.asked("/api/socket.io/").first)
        #expect(asked.headers["Authorization"] == "Basic cHJveHk6a2V5")
        #expect(asked.headers["x-immich-user-token"] == "token-number-1")
        await latch.close()
    }

    @Test("IM-6 A session that the server ended ends after one check", arguments: [true, false])
    func sessionDeleted(_ isRefusal: Bool) async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let (session, updates) = try await session(fixture, latch)
        let before = fixture.asked("/api/users/me").count
        fixture.wire.serveRealTime { connection in
            fixture.immich.set { $0.live = [:] }
            Self.accept(connection)
            connection.send(isRefusal ? #"42["error","unauthorized"]"# : #"42["on_session_delete","1"]"#)
            _ = connection.next()
        }

        let error = await #expect(throws: LatchError.self) { for try await _ in updates {} }

        #expect(error?.code == .sessionEnded)
        #expect(fixture.asked("/api/users/me").count == before + 1)
        #expect(!session.state.isSignedIn)
        await latch.close()
    }

    @Test("IM-6 An event alone does not end the session")
    func falseAlarm() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let (session, updates) = try await session(fixture, latch)
        let before = fixture.asked("/api/users/me").count
        let asked = DispatchSemaphore(value: 0)
        fixture.immich.intercept { request in
            if request.path == "/api/users/me" { asked.signal() }
            return nil
        }
        fixture.wire.serveRealTime { connection in
            Self.accept(connection)
            for _ in 0..<5 { connection.send(#"42["on_session_delete","1"]"#) }
            asked.wait()
            connection.send(#"42["on_config_update"]"#)
            _ = connection.next()
        }

        for try await update in updates where update == .event(.configUpdated) { break }

        #expect(session.state.isSignedIn)
        #expect(fixture.asked("/api/users/me").count == before + 1)
        await latch.close()
    }

    @Test("IM-6 A proxy that refuses the connection does not sign out")
    func proxy() async throws {
        let fixture = try ImmichFixture()
        let count = Mutex(0)
        fixture.wire.serveRealTime { connection in
            if count.withLock({
                $0 += 1; return $0
            }) == 1 {
                return connection.write(
                    "HTTP/1.1 401 Unauthorized\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nhtml")
            }
            Self.accept(connection)
            _ = connection.next()
        }
        let latch = try await fixture.home.open()
        let (session, updates) = try await session(fixture, latch)

        for try await update in updates where update == .connected { break }

        #expect(session.state == .signedIn(.verified))
        await latch.close()
    }

    @Test("IM-6 IM-11 Signing out closes the connection", arguments: [true, false])
    func signOut(_ isElsewhere: Bool) async throws {
        let fixture = try ImmichFixture()
        let closed = AsyncStream<Void>.makeStream()
        fixture.wire.serveRealTime { connection in
            Self.accept(connection)
            while connection.next() != nil {}
            closed.continuation.finish()
        }
        let latch = try await fixture.home.open()
        let (session, updates) = try await session(fixture, latch)
        let other = try await fixture.home.open()

        let error = await #expect(throws: LatchError.self) {
            for try await update in updates where update == .connected {
                let leaving = isElsewhere ? try await other.activeSession() : session
                _ = try await leaving.signOut()
            }
        }

        #expect(error?.code == .signedOut)
        for await _ in closed.stream {}
        #expect(fixture.asked("/api/socket.io/").count == 1)
        await other.close()
        await latch.close()
    }

    @Test("IM-6 The connection waits while there is no network")
    func offline() async throws {
        let fixture = try ImmichFixture()
        fixture.wire.serveRealTime { connection in
            Self.accept(connection)
            while connection.next() != nil {}
        }
        let latch = try await fixture.home.open()
        let (states, network) = AsyncStream<NetworkState>.makeStream()
        let (_, updates) = try await session(fixture, latch, network: states)

        var all: [RealTimeUpdate] = []
        for try await update in updates {
            all.append(update)
            network.yield(NetworkState(isConnected: all.count == 2, isMetered: false))
            if all.count == 3 { break }
        }

        #expect(all == [.connected, .disconnected("There is no network."), .connected])
        await latch.close()
    }

    @Test(
        "IM-6 The connection has the client certificate, the authority, the proxy and the header fields of the account")
    func connectionOptions() async throws {
        let fixture = try ImmichFixture()
        let folder = try TemporaryDirectory()
        let front = try await TLSFront(to: UInt16(fixture.wire.port), in: folder, asksForCertificate: true)
        let proxy = try NamingProxy("home.test", leadsTo: front.port)
        let options = ConnectionOptions(
            authorities: .only(pemFile: front.certificate),
            clientCertificate: .pem(certificate: front.certificate, key: front.key, passphrase: nil),
            proxy: "http://127.0.0.1:\(proxy.port)", extraHeaders: ["X-Key": "open sesame"])
        let keys = Mutex<[String?]>([])
        fixture.wire.serveRealTime { connection in
            keys.withLock { $0.append(connection.field("X-Key")) }
            Self.accept(connection)
            connection.send(#"42["on_upload_success",{"id":"1"}]"#)
            _ = connection.next()
        }
        let latch = try await fixture.home.open()
        let server = try await latch.probe(ServerAddress("https://home.test"), connection: options).requireServer()
        let account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: server)

        for try await update in try latch.session(for: account).events() where update == .event(.assetAdded(id: "1")) {
            break
        }

        #expect(keys.withLock(\.self) == ["open sesame"])
        #expect(Set(proxy.tunnels) == ["home.test:443"])
        await latch.close()
    }

    @Test("IM-6 A family without events is reported as such")
    func notOffered() async throws {
        #expect(ImmichDialect().capabilities.contains(.realTime))
        #expect(!OnyxDialect().capabilities.contains(.realTime))
    }

    @Test("IM-6 IM-15 While the device is locked the connection waits, and it is made after the unlocking")
    func locked() async throws {
        let fixture = try ImmichFixture()
        fixture.wire.serveRealTime { connection in
            Self.accept(connection)
            _ = connection.next()
        }
        let latch = try await fixture.home.open()
        var (_, updates) = try await session(fixture, latch)
        // The pause after a failure is longer than the test.
        updates.random = { 1_000 }
        try await latch.lock.set(Secret("274951"))
        try latch.lock.lock()

        var iterator = updates.makeAsyncIterator()
        let first = try await iterator.next()
        let reason = "The accounts of this device are locked. Enter the PIN of this device to unlock them."
        #expect(first == .disconnected(reason))
        #expect(fixture.asked("/api/socket.io/").isEmpty)
        try await latch.lock.unlock(with: Secret("274951"))
        #expect(try await iterator.next() == .connected)
        await latch.close()
    }

    @Test("IM-6 Events arrive again after the session ended and another program signed in")
    func signedInElsewhere() async throws {
        let fixture = try ImmichFixture()
        fixture.wire.serveRealTime { connection in
            Self.accept(connection)
            _ = connection.next()
        }
        let (latch, other) = (try await fixture.home.open(), try await fixture.home.open())
        let (session, updates) = try await session(fixture, latch)
        let id = session.accountID
        let record = try #require(try await latch.accounts.record(id))
        _ = try await latch.accounts.end(id, of: record.generation, because: "the server ended it")
        let ended = await #expect(throws: LatchError.self) { for try await _ in updates {} }
        #expect(ended?.code == .sessionEnded)

        #expect(try await fixture.signIn(other).id == id)
        var iterator = updates.makeAsyncIterator()
        #expect(try await iterator.next() == .connected)
        await other.close()
        await latch.close()
    }
}
