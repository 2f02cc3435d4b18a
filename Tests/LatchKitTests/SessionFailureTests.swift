import Foundation
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct SessionFailureTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    private func token(_ account: Account) async throws -> String? {
        try await fixture.home.secrets.read(AccountStore.tokenKey(account.id))?.reveal()
    }

    @Test("if a token renewed by another program is missing in the store, the session ends and no call waits")
    func renewedTokenMissing() async throws {
        let (mine, other) = (try await fixture.home.open(), try await fixture.home.open())
        let account = try await fixture.signIn(mine)
        let session = try mine.session(for: account)
        _ = try await session.validToken()
        // Due here, and at the lock already renewed elsewhere.
        let lock = try await mine.accounts.locks.lock(account.id)
        fixture.home.clock.advance(by: 601)
        let due = Task { try await session.validToken() }
        while await session.sharedRenewal == nil { await Task.yield() }
        #expect(
            try await other.accounts.recordRenewal(
                account.id, of: 1, refreshAfter: fixture.home.clock.now + 600, expires: nil))
        try await fixture.home.secrets.remove(AccountStore.tokenKey(account.id))
        lock.release()

        let error = try await #require(throws: LatchError.self) { try await due.cancellableValue }
        #expect(error.code == .sessionEnded)
        #expect(try await other.accounts.accounts().map(\.isSignedIn) == [false])
    }

    @Test("a token that is read from the store after the session was signed out is ignored (invariant 5)")
    func lateToken() async throws {
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        let store = GatedStore(fixture.home.secrets)
        let latch = try await fixture.home.open(secrets: store)
        let session = try latch.session(for: account)
        let arrivals = store.arm()
        let late = Task { try await session.validToken() }
        for await _ in arrivals { break }

        try await session.signOut()
        store.release()

        let error = try await #require(throws: LatchError.self) { try await late.cancellableValue }
        #expect(error.code == .signedOut)
        #expect(session.state == .signedOut(.notSignedIn))
    }

    @Test("OX-13 signing out deletes the token and ends the session also if the database cannot be written")
    func unwritableDatabase() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "k"]))
        let session = try latch.session(for: account)
        try await latch.accounts.refuse("stage ON accounts")

        let error = try await #require(throws: LatchError.self) { try await session.signOut() }

        #expect(error.code.rawValue.hasPrefix("storage_"))
        #expect(try await token(account) == nil)
        #expect(try await fixture.home.secrets.read(AccountStore.connectionKey(account.id)) == nil)
        #expect(fixture.onyx.live.isEmpty)
        #expect(session.state == .signedOut(.notSignedIn))
    }

    @Test("OX-11 if a program is killed during a renewal, others get its lock")
    func killedHolder() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        _ = try await session.validToken()
        let script = """
            import fcntl, sys, time
            file = open(sys.argv[1], "w")
            fcntl.flock(file, fcntl.LOCK_EX)
            print("held", flush=True)
            time.sleep(60)
            """
        let lock = "\(fixture.home.folders.locks)/\(account.id.uuidString.lowercased()).lock"
        let holder = try RunningProgram("/usr/bin/python3", ["-c", script, lock], environment: [:])
        try await holder.line(containing: "held")
        fixture.home.clock.advance(by: 601)

        let token = Task { try await session.validToken().reveal() }
        while await session.sharedRenewal == nil { await Task.yield() }
        #expect(try latch.accounts.locks.lockIfFree(account.id) == nil)
        #expect(fixture.wire.count(OnyxFixture.refresh) == 0)
        holder.send(SIGKILL)

        #expect(try await token.cancellableValue == "token-number-2")
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
    }

    @Test("a clock that was set back does not delay a renewal")
    func clockSetBack() async throws {
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.home.clock.advance(by: -86_400)

        #expect(try await session.validToken().reveal() == "token-number-2")
        #expect(try await session.validToken().reveal() == "token-number-2")
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
    }

    @Test("an extremely long lifetime is accepted")
    func endlessLifetime() async throws {
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.onyx.intercept { request in
            guard request.path == OnyxFixture.refresh else { return nil }
            return .json(#"{"access_token":"t","token_type":"bearer","expires_in":\#(Int.max)}"#)
        }

        try await session.refresh()
        #expect(try await session.validToken().reveal() == "t")
    }
}
