import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// Changing how a server is connected to, while an account is signed in.
@Suite(.timeLimit(.minutes(20))) struct ConnectionChangeTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    private func sent(_ field: String) -> [String?] { fixture.wire.requests.map { $0.headers[field] } }

    @Test("headers are changed without signing out, and a running program sends them with its next request")
    func change() async throws {
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first, connection: .init(extraHeaders: ["X-Old": "1"]))
        let running = try first.session(for: account)
        _ = try await running.identity()
        let second = try await fixture.home.open()

        let change = try await second.changeConnection(of: account) { $0.extraHeaders = ["X-New-Header-1": "2"] }
        _ = try await running.identity()

        #expect(change.options.extraHeaders == ["X-New-Header-1": "2"] && change.trial.server != nil)
        let last = try #require(fixture.wire.requests.last)
        #expect(last.path == "/api/me" && last.headers["X-New-Header-1"] == "2" && last.headers["X-Old"] == nil)
        #expect(try await first.accounts.account(account.id)?.isSignedIn == true)
        #expect(try await second.session(for: account).identity().email == "ada@example.org")
        #expect(try fixture.home.files(holding: "X-New-Header-1").count > 0, "the name is kept")
    }

    @Test("a connection that does not reach the server is not stored, except on request")
    func trial() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "right"]))
        fixture.onyx.intercept { $0.headers["X-Key"] == "right" ? nil : .redirect("https://login.example.org/") }

        let refused = try await #require(throws: LatchError.self) {
            try await latch.changeConnection(of: account) { $0.extraHeaders = ["X-Key": "wrong"] }
        }
        #expect(refused.code == .interceptedResponse && refused.message.hasPrefix("Nothing was changed"))
        #expect(try await latch.accounts.connection(of: account.id).extraHeaders["X-Key"] == "right")
        _ = try await latch.session(for: account).identity()

        let forced = try await latch.changeConnection(of: account, isForced: true) { $0.extraHeaders["X-Key"] = "new" }
        #expect(forced.trial.failure?.code == .interceptedResponse)
        #expect(try await latch.accounts.connection(of: account.id).extraHeaders["X-Key"] == "new")
        fixture.onyx.intercept { $0.headers["X-Key"] == "new" ? nil : .redirect("https://login.example.org/") }
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
    }

    @Test(
        "a crash after any step of a change leaves the old or the new connection, and removal leaves no secret",
        arguments: [AccountStep.newConnectionWritten, .connectionChanged])
    func crash(step: AccountStep) async throws {
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(
            first, connection: .init(proxy: nil, extraHeaders: ["X-Old": "old"]))
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: Stopped.self) {
            try await second.changeConnection(of: account) { $0.extraHeaders = ["X-New": "new"] }
        }
        await second.close()

        let third = try await fixture.home.open()
        let now = try await third.accounts.connection(of: account.id).extraHeaders
        #expect(now == (step == .connectionChanged ? ["X-New": "new"] : ["X-Old": "old"]))
        #expect(try await third.session(for: account).identity().email == "ada@example.org")

        _ = try await third.changeConnection(of: account) { $0.extraHeaders = ["X-Third": "3"] }
        #expect(try await third.accounts.connection(of: account.id).extraHeaders == ["X-Third": "3"])
        _ = try await third.signOut(account)
        for slot in ConnectionRecord.slots {
            #expect(try await fixture.home.secrets.read(AccountStore.connectionKey(account.id, slot: slot)) == nil)
        }
    }

    @Test("signing in again with other headers keeps the old ones until the account is complete")
    func signInAgain() async throws {
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first, connection: .init(extraHeaders: ["X-Old": "old"]))
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: .tokenWritten)
        await #expect(throws: (any Error).self) {
            try await fixture.signIn(second, connection: .init(extraHeaders: ["X-New": "new"]))
        }
        await second.close()

        let third = try await fixture.home.open()
        #expect(try await third.accounts.connection(of: account.id).extraHeaders == ["X-Old": "old"])
        _ = try await fixture.signIn(third)
        for slot in ConnectionRecord.slots {
            #expect(try await fixture.home.secrets.read(AccountStore.connectionKey(account.id, slot: slot)) == nil)
        }
    }

    @Test("of two concurrent changes, one is stored completely, and the other fails")
    func twoAtOnce() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let other = try await fixture.home.open()

        let error = try await #require(throws: LatchError.self) {
            try await latch.changeConnection(of: account) { options in
                options.extraHeaders = ["X-First": "1"]
                _ = try await other.changeConnection(of: account) { $0.extraHeaders = ["X-Second": "2"] }
            }
        }

        #expect(error.code == .storageLocked)
        #expect(try await latch.accounts.connection(of: account.id).extraHeaders == ["X-Second": "2"])
    }
}
