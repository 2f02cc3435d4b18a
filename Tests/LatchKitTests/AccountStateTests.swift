import Crypto
import Foundation
import SecretStorage
import TestSupport
import Testing

@testable import LatchKit

/// The accounts with the states of their sessions, in one stream.
@Suite("Accounts and their states", .timeLimit(.minutes(20)))
struct AccountStateTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    /// Takes lists until one of them is wanted.
    private func wait(
        _ lists: inout AsyncStream<[AccountState]>.Iterator, for isWanted: ([AccountState]) -> Bool
    ) async {
        while let list = await lists.next(isolation: #isolation), !isWanted(list) {}
    }

    @Test("RM-3 OX-14 a session that the server ended is shown, and a new sign-in of the same account")
    func endedSession() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        var lists = latch.accountStates().makeAsyncIterator()
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] }

        fixture.onyx.endAll()
        try await latch.session(for: account).restore()
        await wait(&lists) { if case .signedOut(.ended) = $0.first?.state { true } else { false } }

        _ = try await fixture.signIn(latch)
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] && $0[0].account.isSignedIn }
        try await latch.signOut(account)
        await wait(&lists, for: \.isEmpty)
        await latch.close()
    }

    @Test("RM-3 changes of another program to an account are shown")
    func otherProgram() async throws {
        let (latch, other) = (try await fixture.home.open(), try await fixture.home.open())
        var lists = latch.accountStates().makeAsyncIterator()
        await wait(&lists, for: \.isEmpty)
        let account = try await fixture.signIn(other)
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] }

        fixture.onyx.endAll()
        try await other.session(for: account).restore()
        await wait(&lists) { if case .signedOut(.ended) = $0.first?.state { true } else { false } }
        _ = try await fixture.signIn(other)
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] }
        await other.close()
        await latch.close()
    }

    @Test("RM-3 all streams end when the client is closed, also those that start later")
    func closed() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        var states = session.stateUpdates.makeAsyncIterator()
        var lists = latch.accountStates().makeAsyncIterator()
        var accounts = latch.accounts.accountsUpdates.makeAsyncIterator()
        #expect(await accounts.next()?.map(\.id) == [account.id])
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] }

        await latch.close()
        while await states.next(isolation: #isolation) != nil {}
        while await lists.next(isolation: #isolation) != nil {}
        while await accounts.next(isolation: #isolation) != nil {}
        for await _ in latch.accounts.activeAccountUpdates {}
        for await _ in latch.accountStates() {}
    }

    @Test("without restoring, no request is sent")
    func sendsNoRequest() async throws {
        let latch = try await fixture.home.open()
        _ = try await fixture.signIn(latch)
        await latch.close()
        let next = try await fixture.home.open()
        let before = fixture.wire.requests.count
        var lists = next.accountStates(restoring: false).makeAsyncIterator()
        await wait(&lists) { $0.map(\.state) == [.signedIn(.unverified(nil))] }
        #expect(fixture.wire.requests.count == before)
        await next.close()
    }
}
