import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// The key of a first sign-in, of which nobody knows yet when the program dies or the next step fails.
@Suite(.timeLimit(.minutes(20))) struct RelateMailFirstKeyTests {
    static let steps: [AccountStep] = [
        .firstKeyRecorded, .firstKeyMade, .rowMade, .connectionWritten, .tokenWritten, .rowWhole,
    ]

    /// Signs in and dies after a step; a dead program gives nothing back.
    private func die(after step: AccountStep, in fixture: RelateMailFixture) async throws {
        let latch = try await fixture.home.open(stoppingAfter: step)
        fixture.server.intercept { $0.method == "DELETE" ? .silence : nil }
        await #expect(throws: (any Error).self) { try await fixture.signIn(latch) }
        await latch.close()
        fixture.server.intercept(nil)
    }

    private func notes(_ latch: LatchClient) async throws -> Int { try await latch.accounts.noteCount() }

    @Test(
        "RM-7 after a crash at any step of the first sign-in and a new sign-in, there is only one key",
        arguments: steps, [false, true])
    func crash(_ step: AccountStep, pastes: Bool) async throws {
        let fixture = try await RelateMailFixture()
        let other = fixture.server.add("the person's own")
        try await die(after: step, in: fixture)
        let left = step == .firstKeyRecorded ? 0 : 1
        #expect(fixture.server.keys.count == 1 + left)

        let latch = try await fixture.home.open()
        let account =
            if pastes { try await fixture.signIn(latch, key: other.key) } else { try await fixture.signIn(latch) }

        let held = try #require(try await fixture.stored(account))
        #expect(Set(fixture.server.keys.map(\.key)) == [other.key, held.access.reveal()], "\(step)")
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
        await latch.close()
        // A request that was on its way may still come; a start after that time forgets the note.
        #expect(try await fixture.home.open().accounts.noteCount() == (step == .firstKeyRecorded ? 1 : 0), "\(step)")
        fixture.home.clock.advance(by: 301)
        let last = try await fixture.home.open()
        #expect(try await notes(last) == 0)
        #expect(Set(fixture.server.keys.map(\.key)) == [other.key, held.access.reveal()])
        await last.close()
        await fixture.stop()
    }

    @Test("RM-7 a key that was created late, after the crash and the next sign-in, is revoked at the next start")
    func keyCreatedLate() async throws {
        let fixture = try await RelateMailFixture()
        try await die(after: .firstKeyRecorded, in: fixture)
        let next = try await fixture.home.open()
        let account = try await fixture.signIn(next)
        let name = try #require(try await next.accounts.orphanedKeys(of: account.id).first?.identifier.text)
        await next.close()
        fixture.server.add(name, scopes: ["app"])

        let last = try await fixture.home.open()
        #expect(fixture.server.keys.map(\.id) == [account.apiKeyID])
        #expect(try await notes(last) == 0)
        await last.close()
        await fixture.stop()
    }

    @Test(
        "RM-7 if the person already has an account there, the next start revokes the key that a crash left",
        arguments: [AccountStep.firstKeyRecorded, .firstKeyMade])
    func existingAccount(_ step: AccountStep) async throws {
        let fixture = try await RelateMailFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        try await die(after: step, in: fixture)
        #expect(fixture.server.keys.count == (step == .firstKeyMade ? 2 : 1))

        let next = try await fixture.home.open()
        #expect(fixture.server.keys.map(\.id) == [account.apiKeyID])
        #expect(try await next.session(for: account).identity().email == "ada@example.org")
        await next.close()
        await fixture.stop()
    }

    @Test("RM-7 a key of another program's pending sign-in is not revoked")
    func pendingInOtherProgram() async throws {
        let fixture = try await RelateMailFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        let server = try await fixture.probe().requireServer()
        let intent = try await first.accounts.recordKey(
            KeyName(Device()), of: try EmailAddress(typed: "ada@example.org"), at: server)
        let made = fixture.server.add(intent.name.text)

        let second = try await fixture.home.open()
        #expect(try await second.session(for: account).rotateKey().failure == nil)
        #expect(fixture.server.keys.contains { $0.id == made.id } && fixture.server.keys.count == 2)
        await second.close()
        intent.release()
        let third = try await fixture.home.open()
        #expect(!fixture.server.keys.contains { $0.id == made.id } && fixture.server.keys.count == 1)
        #expect(try await notes(third) == 0)
        for latch in [first, third] { await latch.close() }
        await fixture.stop()
    }

    @Test(
        "RM-7 a sign-in that fails after the key was created revokes it at once, with any token that still works",
        arguments: ["", "Bearer", "ApiKey"])
    func failure(_ refused: String) async throws {
        let fixture = try await RelateMailFixture()
        let store = LockableStore()
        let latch = try await fixture.home.open(secrets: store)
        let own = fixture.server.add("the person's own")
        fixture.server.intercept { request in
            if request.method == "POST" { store.fail(.locked) }
            let scheme = request.headers["Authorization"]?.prefix { $0 != " " }
            return request.method == "DELETE" && scheme ?? "" == refused ? .page(502) : nil
        }
        let error = await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error?.code == .secretStoreLocked)
        #expect(fixture.server.keys.map(\.id) == [own.id])
        #expect(try await notes(latch) == 0)
        store.fail(nil)
        fixture.server.intercept(nil)
        await latch.close()

        let next = try await fixture.home.open(secrets: store)
        #expect(try await next.accounts.rowIDs().isEmpty)
        await next.close()
        await fixture.stop()
    }

    @Test("RM-7 a key that a failed sign-in could not revoke is revoked by the next one")
    func failureAndOutage() async throws {
        let fixture = try await RelateMailFixture()
        let store = LockableStore()
        let latch = try await fixture.home.open(secrets: store)
        fixture.server.intercept { request in
            if request.method == "POST" { store.fail(.locked) }
            return request.method == "DELETE" ? .page(502) : nil
        }
        await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(fixture.server.keys.count == 1)
        store.fail(nil)
        fixture.server.intercept(nil)
        await latch.close()

        let next = try await fixture.home.open(secrets: store)
        let account = try await fixture.signIn(next)
        #expect(fixture.server.keys.map(\.id) == [account.apiKeyID])
        #expect(try await notes(next) == 0)
        await next.close()
        await fixture.stop()
    }

    @Test("RM-7 after a refusal no key is recorded, because the server created none")
    func refused() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        fixture.server.intercept { $0.method == "POST" ? .json(#"{"error":"Name is required"}"#, 400) : nil }
        await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(try await notes(latch) == 0)
        await latch.close()
        await fixture.stop()
    }

    @Test("RM-7 if the record cannot be written, no key is created")
    func unwritableRecord() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        try await latch.accounts.refuseInsert("leftover_keys")
        await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(!fixture.wire.requests.contains { $0.method == "POST" } && fixture.server.keys.isEmpty)
        await latch.close()
        await fixture.stop()
    }

    @Test("RM-7 the record of a server that is not used again is deleted after a year")
    func abandoned() async throws {
        let fixture = try await RelateMailFixture()
        try await die(after: .firstKeyMade, in: fixture)
        for (days, count) in [(1, 1), (363, 1), (2, 0)] {
            fixture.home.clock.advance(by: TimeInterval(days) * 86_400)
            let latch = try await fixture.home.open()
            #expect(try await notes(latch) == count)
            await latch.close()
        }
        #expect(try fixture.home.files(holding: "access-0123456789").isEmpty)
        await fixture.stop()
    }
}
