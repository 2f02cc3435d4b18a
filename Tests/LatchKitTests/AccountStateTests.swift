import Crypto
import Foundation
import SecretStorage
import Testing

@testable import LatchKit

/// The accounts with the states of their sessions, in one stream.
@Suite("Accounts with their states", .timeLimit(.minutes(20)))
struct AccountStateTests {
    private let world: World

    init() throws { world = try World() }

    /// Takes lists until one of them is wanted.
    private func wait(
        _ lists: inout AsyncStream<[AccountState]>.Iterator, for isWanted: ([AccountState]) -> Bool
    ) async {
        while let list = await lists.next(isolation: #isolation), !isWanted(list) {}
    }

    @Test("RM-3 OX-14 a session that the server ended is shown, and a new sign-in of the same account")
    func again() async throws {
        let latch = try await world.home.open()
        let account = try await world.signIn(latch)
        var lists = latch.accountStates().makeAsyncIterator()
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] }

        world.onyx.endAll()
        try await latch.session(for: account).restore()
        await wait(&lists) { if case .signedOut(.ended) = $0.first?.state { true } else { false } }

        _ = try await world.signIn(latch)
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] && $0[0].account.isSignedIn }
        try await latch.signOut(account)
        await wait(&lists, for: \.isEmpty)
        await latch.close()
    }

    @Test("RM-3 what another program does to an account is shown")
    func otherProgram() async throws {
        let (latch, other) = (try await world.home.open(), try await world.home.open())
        var lists = latch.accountStates().makeAsyncIterator()
        await wait(&lists, for: \.isEmpty)
        let account = try await world.signIn(other)
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] }

        world.onyx.endAll()
        try await other.session(for: account).restore()
        await wait(&lists) { if case .signedOut(.ended) = $0.first?.state { true } else { false } }
        _ = try await world.signIn(other)
        await wait(&lists) { $0.map(\.state) == [.signedIn(.verified)] }
        await other.close()
        await latch.close()
    }

    @Test("without restoring, no server is asked")
    func quiet() async throws {
        let latch = try await world.home.open()
        _ = try await world.signIn(latch)
        await latch.close()
        let next = try await world.home.open()
        let before = world.wire.requests.count
        var lists = next.accountStates(restoring: false).makeAsyncIterator()
        await wait(&lists) { $0.map(\.state) == [.signedIn(.unverified(nil))] }
        #expect(world.wire.requests.count == before)
        await next.close()
    }
}
