import CLibrary
import Foundation
import SecretStorage
import TestSupport
import Testing

@testable import LatchKit

/// What goes wrong on this device: secrets that cannot be had, and a disk without room.
@Suite(.timeLimit(.minutes(20))) struct FamilyStorageTests {
    @Test("with a locked secret store no account is created or lost", arguments: Family.all)
    func locked(_ family: Family) async throws {
        let fixture = try await family.make()
        let store = LockableStore()
        let latch = try await fixture.home.open(secrets: store)
        let server = try await fixture.find(latch, .init())
        store.fail(.locked)
        let error = try await #require(throws: LatchError.self) { try await fixture.begin(latch, server) {} }
        #expect(error.code.rawValue.hasPrefix("secret_store"), "\(error)")
        #expect(try await latch.accounts.accounts().isEmpty)

        store.fail(nil)
        let account = try await fixture.signIn(latch)
        await latch.close()
        let next = try await fixture.home.open(secrets: store)
        store.fail(.locked)
        let session = try next.session(for: account)
        if case .signedOut = await session.restore() { Issue.record("a locked store signed somebody out") }
        let lockedError = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(lockedError.code.rawValue.hasPrefix("secret_store"), "\(lockedError)")
        _ = try? await session.client.send(session.dialect.identity)
        #expect(try await next.accounts.account(account.id)?.isSignedIn == true)

        store.fail(nil)
        #expect(try await session.identity().email == "ada@example.org")
        store.fail(.locked)
        _ = try? await session.signOut()
        #expect(try await next.accounts.accounts().isEmpty)
        await next.close()
        store.fail(nil)
        let last = try await fixture.home.open(secrets: store)
        #expect(try await last.accounts.rowIDs().isEmpty)
        for key in AccountStore.tokenKeys(account.id) { #expect(try await store.read(key) == nil) }
        await last.close()
        await fixture.stop()
    }

    @Test(
        "signing out with a damaged secret store reports what is left, which the next start after its repair completes",
        arguments: Family.all)
    func damaged(_ family: Family) async throws {
        let fixture = try await family.make()
        let store = LockableStore()
        let first = try await fixture.home.open(secrets: store)
        let account = try await fixture.signIn(first)
        let token = try #require(try await first.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        await first.close()
        let latch = try await fixture.home.open(secrets: store)
        store.fail(.damaged)

        let error = try await #require(throws: LatchError.self) { try await latch.signOut(account) }

        #expect(error.code == .secretStoreDamaged)
        for text in ["removed from this device", "\(fixture.door) has not ended", "store is not open", "next start"] {
            #expect(error.message.contains(text), "\(error)")
        }
        #expect(try await latch.accounts.accounts().isEmpty)
        await latch.close()
        let access = SessionTokens(stored: token).access
        #expect(try await fixture.takes(access, of: account))

        store.fail(nil)
        let next = try await fixture.home.open(secrets: store)
        #expect(try await next.accounts.rowIDs().isEmpty)
        for key in AccountStore.tokenKeys(account.id) { #expect(try await store.read(key) == nil) }
        #expect(try await !fixture.takes(access, of: account))
        await next.close()
        await fixture.stop()
    }

    @Test("with a full disk no account is created or lost, and signing out works", arguments: Family.all)
    func full(_ family: Family) async {
        await #expect(processExitsWith: .success) { [name = family.name as String] in
            let family = try #require(Family.all.first { $0.name == name })
            let fixture = try await family.make()
            let latch = try await fixture.home.open()
            let server = try await fixture.find(latch, .init())
            // From here on no file grows: what SQLite writes fails as on a disk without room.
            signal(SIGXFSZ, SIG_IGN)
            try FileSizeLimit.set(to: 0)
            let error = try await #require(throws: LatchError.self) { try await fixture.begin(latch, server) {} }
            try #require(error.code.rawValue.hasPrefix("storage"), "\(error.code): \(error)")
            try FileSizeLimit.set(to: rlim_t.max)
            try #require(try await latch.accounts.rowIDs().isEmpty)

            let account = try await fixture.signIn(latch)
            let session = try latch.session(for: account)
            try FileSizeLimit.set(to: 0)
            fixture.home.clock.advance(by: 700)
            _ = try? await session.validToken()
            _ = try? await session.identity()
            try #require(session.state.isSignedIn)
            _ = try? await session.signOut()
            for key in AccountStore.tokenKeys(account.id) {
                try #require(try await fixture.home.secrets.read(key) == nil)
            }
            try FileSizeLimit.set(to: rlim_t.max)
            await latch.close()
            let next = try await fixture.home.open()
            for left in try await next.accounts.accounts() {
                try await #require(throws: LatchError.self) { try await next.session(for: left).identity() }
            }
            await next.close()
            await fixture.stop()
        }
    }

    @Test(
        "RM-8 a full disk before or after the record of a key's rotation leaves exactly one working key",
        arguments: Family.keys)
    func fullWhileRotating(_ family: Family) async {
        await #expect(processExitsWith: .success) { [name = family.name as String] in
            let family = try #require(Family.all.first { $0.name == name })
            let fixture = try await family.make()
            var latch = try await fixture.home.open()
            let account = try await fixture.signIn(latch)
            signal(SIGXFSZ, SIG_IGN)
            for isNoted in [false, true] {
                let asked = fixture.wire.requests.count
                // The key is made after the note.
                fixture.wire.script { request in
                    if isNoted, request.method == "POST" { try? FileSizeLimit.set(to: 0) }
                    return fixture.rules(request)
                }
                if !isNoted { try FileSizeLimit.set(to: 0) }
                let session = try latch.session(for: account)
                let error = try await #require(throws: LatchError.self) { try await session.rotateKey() }
                try #require(error.code.rawValue.hasPrefix("storage"), "\(error.code): \(error)")
                try #require(fixture.wire.requests[asked...].contains { $0.method == "POST" } == isNoted)
                try #require(session.state.isSignedIn)
                try FileSizeLimit.set(to: rlim_t.max)
                if !isNoted { try await fixture.expectOneKey(latch, account.id, "before the note") }
                await latch.close()
                fixture.home.clock.advance(by: 301)
                latch = try await fixture.home.open()
                try await fixture.expectOneKey(latch, account.id, isNoted ? "after the note" : "before the note")
            }
            await latch.close()
            await fixture.stop()
        }
    }
}
