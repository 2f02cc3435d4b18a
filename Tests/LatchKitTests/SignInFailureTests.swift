import Foundation
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct SignInFailureTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    @Test("a repeated sign-in that fails at its last step keeps the previous session")
    func signInAgainFails() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "old"]))
        try await latch.accounts.refuse("generation ON accounts")

        await #expect(throws: LatchError.self) {
            try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "new"]))
        }

        #expect(fixture.onyx.live == ["token-number-1"])
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id))?.reveal() == "token-number-1")
        let next = try await fixture.home.open()
        #expect(try await next.session(for: account).identity().email == "ada@example.org")
        #expect(fixture.wire.requests.last?.headers["X-Key"] == "old")
    }

    @Test("a sign-in that is cancelled during the identity request revokes its token", arguments: [true, false])
    func cancelledSignIn(isAgain: Bool) async throws {
        let latch = try await fixture.home.open()
        if isAgain { _ = try await fixture.signIn(latch) }
        let (asked, wasAsked) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        fixture.onyx.intercept { request in
            guard request.path == "/api/me" else { return nil }
            wasAsked.yield()
            gate.wait()
            return nil
        }
        let signIn = Task { try await fixture.signIn(latch) }
        for await _ in asked { break }
        signIn.cancel()

        await #expect(throws: CancellationError.self) { try await signIn.cancellableValue }
        gate.signal()
        #expect(fixture.onyx.live == (isAgain ? ["token-number-1"] : []))
        #expect(try await latch.accounts.accounts().count == (isAgain ? 1 : 0))
    }
}
