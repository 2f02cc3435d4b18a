import Crypto
import Foundation
import SecretStorage
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct SessionTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    /// Every token that so many callers of each of the sessions are given, all at once.
    private func tokens(of sessions: [Session], callers: Int) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self) { group in
            for session in sessions {
                for _ in 0..<callers { group.addTask { try await session.validToken().reveal() } }
            }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }

    @Test("a typed response with a name of 40 accents is decoded, and the accents are divided")
    func manyMarks() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let marks = String(repeating: "\u{301}", count: 40)
        fixture.wire.script { _ in .json(#"{"name":"e\#(marks)","count":1.50}"#) }

        struct Album: Decodable { var name: String, count: Double }
        let album = try await session.client.get("/album", as: Album.self)
        #expect(album.name.unicodeScalars.count == 42 && album.name.unicodeScalars.contains("\u{34F}"))
        #expect(album.count == 1.5)
    }

    @Test("OX-11 a person signs in, calls the server and signs out")
    func endToEnd() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)

        #expect(account.isActive && account.isSignedIn && account.displayName == "Ada")
        #expect(try await session.identity().email == "ada@example.org")
        #expect(session.state == .signedIn(.verified))
        let login = try #require(fixture.wire.requests.first { $0.path.hasSuffix("/login") })
        #expect(login.headers["deviceModel"] == "test" && login.headers["deviceType"] == "Linux")
        #expect(login.headers["User-Agent"] == "latch/1.2.3 (test; Linux)")

        let report = try await latch.signOut(account)

        #expect(report.isRevoked)
        #expect(fixture.onyx.live.isEmpty)
        #expect(try await latch.accounts.accounts().isEmpty)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        #expect(session.state == .signedOut(.notSignedIn))
    }

    @Test("OX-11 a hundred concurrent callers with an expiring token cause one renewal")
    func singleFlight() async throws {
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.home.clock.advance(by: 601)

        #expect(try await tokens(of: [session], callers: 100) == ["token-number-2"])
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
    }

    @Test("OX-11 several programs with the same expiring token cause one renewal and share it")
    func singleFlightAcrossPrograms() async throws {
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        var programs = [first]
        for _ in 0..<7 { programs.append(try await fixture.home.open()) }
        fixture.home.clock.advance(by: 601)

        let sessions = try programs.map { try $0.session(for: account) }
        #expect(try await tokens(of: sessions, callers: 5) == ["token-number-2"])
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
    }

    @Test("OX-11 several programs send one request to a failing server and share the failure")
    func sharedFailure() async throws {
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        var sessions: [Session] = []
        for _ in 0..<4 { sessions.append(try await fixture.home.open().session(for: account)) }
        for session in sessions { _ = try await session.validToken() }
        let (asked, gate) = fixture.holdRenewals(response: .page(502))
        fixture.home.clock.advance(by: 601)

        // All have read that the token is due before the one that asks is answered.
        let calls = sessions.map { session in Task { try await session.validToken().reveal() } }
        for await _ in asked { break }
        for session in sessions { while await session.sharedRenewal == nil { await Task.yield() } }
        gate.signal()

        for call in calls { #expect(try await call.cancellableValue == "token-number-1") }
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
    }

    @Test("OX-12 a token that is not due is not renewed, one that is due is, and then not again")
    func due() async throws {
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))

        #expect(try await session.validToken().reveal() == "token-number-1")
        fixture.home.clock.advance(by: 599)
        #expect(try await session.validToken().reveal() == "token-number-1")
        fixture.home.clock.advance(by: 2)
        #expect(try await session.validToken().reveal() == "token-number-2")
        #expect(try await session.validToken().reveal() == "token-number-2")
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
    }

    @Test("OX-12 a token is renewed before the expiry that the server sends")
    func beforeExpiry() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let end = ISO8601DateFormatter().string(from: fixture.home.clock.now.addingTimeInterval(300))
        fixture.onyx.intercept { request in
            guard request.path == "/api/me" else { return nil }
            return .json(#"{"id":"7","email":"ada@example.org","is_active":true,"token_expires_at":"\#(end)"}"#)
        }
        let session = try latch.session(for: account)
        _ = try await session.identity()

        fixture.home.clock.advance(by: 179)
        #expect(try await session.validToken().reveal() == "token-number-1")
        fixture.home.clock.advance(by: 2)
        #expect(try await session.validToken().reveal() == "token-number-2")
    }

    @Test("OX-12 a rejected token is renewed once and the request sent again")
    func reactiveRetry() async throws {
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.onyx.intercept { request in
            request.path == "/api/things" && request.token == "token-number-1"
                ? .json(#"{"error_code":"SESSION_EXPIRED","detail":"x"}"#, 403) : nil
        }

        let response = try await session.client.send(.get, "/api/things")

        #expect(response.status == .ok)
        #expect(
            fixture.wire.requests.filter { $0.path == "/api/things" }.map(\.token) == [
                "token-number-1", "token-number-2",
            ])
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
    }

    @Test("TT-7 a rejection clears the session once, however many requests fail together")
    func endsOnce() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        _ = try await session.identity()
        var states = session.stateUpdates.makeAsyncIterator()
        #expect(await states.next() == .signedIn(.verified))
        fixture.onyx.endAll()

        let codes = await withTaskGroup(of: LatchError.Code?.self) { group in
            for index in 0..<40 {
                group.addTask {
                    do {
                        _ = try await session.client.send(.get, "/api/things/\(index)")
                        return nil
                    } catch {
                        return (error as? LatchError)?.code
                    }
                }
            }
            return await group.reduce(into: Set<LatchError.Code?>()) { $0.insert($1) }
        }

        #expect(codes == [.sessionEnded])
        #expect(await states.next() == .signedOut(.ended("the session was ended on the server")))
        await session.close()
        #expect(await states.next() == nil)
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        let stored = try #require(try await latch.accounts.activeAccount())
        #expect(!stored.isSignedIn && stored.endedBecause == "the session was ended on the server")
    }

    @Test("an ended session is reported to other programs and later starts, and a new sign-in reuses the account")
    func endedIsShared() async throws {
        let (mine, other) = (try await fixture.home.open(), try await fixture.home.open())
        let account = try await fixture.signIn(mine)
        let session = try other.session(for: account)
        _ = try await session.validToken()
        fixture.onyx.endAll()
        _ = try? await mine.session(for: account).client.send(.get, "/api/me")

        let error = try await #require(throws: LatchError.self) { try await session.validToken() }
        #expect(error.code == .sessionEnded)
        #expect(error.message.contains("Sign in again"))
        let later = try await fixture.home.open()
        #expect(
            await (try later.session(for: account)).restore()
                == .signedOut(.ended("the session was ended on the server")))

        let again = try await fixture.signIn(later)
        #expect(again.id == account.id)
        #expect(try await session.identity().email == "ada@example.org")
    }

    @Test("TT-11 empty successful responses are accepted")
    func emptyBodies() async throws {
        let latch = try await fixture.home.open()
        let client = try latch.session(for: try await fixture.signIn(latch)).client

        #expect(try await client.send(.get, "/api/empty").body.isEmpty)
        #expect(try await client.send(.post, "/api/nothing").status == .noContent)
    }

    @Test("OX-14 a session is restored at start, and kept if offline")
    func restoreOffline() async throws {
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        let second = try await fixture.home.open()
        #expect(await (try second.session(for: account)).restore() == .signedIn(.verified))
        await second.close()
        fixture.wire.stop()

        let third = try await fixture.home.open()
        let session = try third.session(for: account)

        #expect(await session.restore() == .signedIn(.unverified(.connectionRefused)))
        #expect(try await session.validToken().reveal() == "token-number-1")
        fixture.home.clock.advance(by: 3_600)
        #expect(try await session.validToken().reveal() == "token-number-1")
        #expect(try await third.accounts.activeAccount()?.isSignedIn == true)
    }

    @Test("a locked or missing secret store does not sign the account out", arguments: [true, false])
    func storeNotOpen(isLocked: Bool) async throws {
        let store = LockableStore()
        let first = try await fixture.home.open(secrets: store)
        let account = try await fixture.signIn(first)
        await first.close()
        store.fail(isLocked ? .locked : .absent)

        let latch = try await fixture.home.open(secrets: store)
        let session = try latch.session(for: account)
        #expect(await session.restore() == .unavailable(isLocked ? .secretStoreLocked : .secretStoreAbsent))
        #expect(try await latch.accounts.activeAccount()?.isSignedIn == true)

        store.fail(nil)
        #expect(await session.restore() == .signedIn(.verified))
    }

    @Test("an empty secret store signs the account out")
    func storeEmpty() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await fixture.home.secrets.remove(AccountStore.tokenKey(account.id))

        let state = await (try (try await fixture.home.open()).session(for: account)).restore()
        guard case .signedOut(.ended) = state else {
            Issue.record("\(state)")
            return
        }
    }

    @Test("OX-16 no token in an address, a file, an error or a description")
    func leaksNoToken() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        fixture.home.clock.advance(by: 601)
        let token = try await session.validToken()
        fixture.onyx.endAll()
        let error = await #expect(throws: LatchError.self) { try await session.client.send(.get, "/api/me") }

        #expect(fixture.wire.requests.allSatisfy { !$0.path.leaks("token-number-") && !$0.path.leaks("correct horse") })
        var dumped = "\(token) \(account) \(String(describing: error)) \(session)"
        dump(error, to: &dumped)
        dump(account, to: &dumped)
        dump(try PasswordSignIn(email: "a@b", password: Secret("correct horse")), to: &dumped)
        dump(ConnectionOptions(proxy: "http://u:token-number-9@p", extraHeaders: ["X": "token-number-9"]), to: &dumped)
        #expect(!dumped.leaks("token-number-") && !dumped.leaks("correct horse"))
        for file in try FileManager.default.subpathsOfDirectory(atPath: fixture.home.folders.data) {
            let data = FileManager.default.contents(atPath: fixture.home.folders.data + "/" + file) ?? Data()
            #expect(!data.leaks("token-number-"))
        }
    }

    @Test("a cancelled caller returns at once, and the renewal continues for the others")
    func cancelledWaiter() async throws {
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let (asked, gate) = fixture.holdRenewals()
        fixture.home.clock.advance(by: 601)
        let impatient = Task { try await session.validToken() }
        for await _ in asked { break }
        let patient = Task { try await session.validToken().reveal() }
        impatient.cancel()

        await #expect(throws: CancellationError.self) { try await impatient.cancellableValue }
        gate.signal()
        #expect(try await patient.cancellableValue == "token-number-2")
    }
}
