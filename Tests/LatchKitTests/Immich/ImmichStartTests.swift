import TestSupport
import Testing

@testable import LatchKit

/// Where a program goes when it starts.
@Suite(.timeLimit(.minutes(20))) struct ImmichStartTests {
    @Test("IM-1 a start opens the stored data: with a session it shows the app, without one the sign-in")
    func start() async throws {
        let fixture = try ImmichFixture()
        var latch = try await fixture.home.open()
        await expectSignIn(latch)
        let account = try await fixture.signIn(latch)
        await latch.close()

        latch = try await fixture.home.open()
        let session = try await latch.activeSession()
        #expect(session.accountID == account.id)
        #expect(await session.restore().isSignedIn)
        #expect(try await session.identity().email == "ada@example.org")
        #expect(fixture.asked("/api/auth/login").count == 1)
        _ = try await latch.signOut(account)
        await latch.close()

        latch = try await fixture.home.open()
        await expectSignIn(latch)
        await latch.close()
    }

    private func expectSignIn(_ latch: LatchClient) async {
        let error = await #expect(throws: LatchError.self) { try await latch.activeSession() }
        #expect(error?.code == .noAccount, "\(String(describing: error))")
    }
}
