import Crypto
import Foundation
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// What opening finishes for several accounts at the same time.
@Suite(.timeLimit(.minutes(20))) struct UnfinishedTests {
    /// A home with an account at each server, each signed out by a program that was killed before it told the server.
    private func halfSignedOut(_ servers: [OnyxFixture], store: any SecretStoring, in home: HomeFixture) async throws
        -> [Account]
    {
        var accounts: [Account] = []
        for server in servers {
            let latch = try await home.open(secrets: store)
            let found = try await latch.probe(server.address).requireServer()
            accounts.append(
                try await latch.signIn(
                    PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: found))
            await latch.close()
        }
        for account in accounts {
            let latch = try await home.open(secrets: store, stoppingAfter: .leavingRecorded, recoversOnOpen: false)
            await #expect(throws: Stopped.self) { try await latch.accounts.removeAccount(account.id) }
            await latch.close()
        }
        return accounts
    }

    @Test("an account with an unreadable secret does not block the others, and is completed by a later start")
    func continuesAfterFailure() async throws {
        let home = try HomeFixture()
        let store = WatchedStore(home.secrets)
        let servers = try [OnyxFixture(), OnyxFixture(), OnyxFixture()]
        let accounts = try await halfSignedOut(servers, store: store, in: home)
        let unreadable = AccountStore.tokenKey(accounts[0].id)
        store.watch { _, key throws(SecretStorageError) in
            if key == unreadable { throw SecretStorageError(.denied, "Not this one.") }
        }
        var latch = try await home.open(secrets: store)
        #expect(try await latch.accounts.rowIDs() == [accounts[0].id])
        #expect(servers.map(\.onyx.live.count) == [1, 0, 0])
        await latch.close()

        store.watch { _, _ in }
        latch = try await home.open(secrets: store)
        #expect(try await latch.accounts.rowIDs().isEmpty)
        #expect(servers[0].onyx.live.isEmpty)
        await latch.close()
    }

    @Test("the servers of several accounts are notified concurrently")
    func concurrentNotifications() async throws {
        let home = try HomeFixture()
        let servers = try [OnyxFixture(), OnyxFixture(), OnyxFixture()]
        _ = try await halfSignedOut(servers, store: home.secrets, in: home)
        // Each server answers only after all were asked.
        let asked = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        for server in servers {
            server.onyx.intercept { request in
                guard request.path == OnyxFixture.logout else { return nil }
                let isLast = asked.withLock { asked in
                    asked += 1
                    return asked == servers.count
                }
                if isLast { for _ in servers { gate.signal() } }
                gate.wait()
                return nil
            }
        }
        let latch = try await home.open()
        // Let every server answer, also after a failure.
        for _ in servers { gate.signal() }
        #expect(try await latch.accounts.rowIDs().isEmpty)
        #expect(servers.map(\.onyx.live.count) == [0, 0, 0])
        await latch.close()
    }

    @Test("a program that does not complete sign-outs sends no requests, and leaves them to the next one")
    func leavesSignOuts() async throws {
        let home = try HomeFixture()
        let servers = try [OnyxFixture()]
        let accounts = try await halfSignedOut(servers, store: home.secrets, in: home)
        let count = servers[0].wire.requests.count
        var latch = try await home.open(recoversOnOpen: false)
        #expect(try await latch.accounts.rowIDs() == [accounts[0].id] && servers[0].wire.requests.count == count)
        await latch.close()
        latch = try await home.open()
        #expect(try await latch.accounts.rowIDs().isEmpty && servers[0].onyx.live.isEmpty)
        await latch.close()
    }
}
