import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// A server that gives short access tokens and a refresh token that changes at each use.
@Suite(.timeLimit(.minutes(20))) struct RefreshTokenTests {
    /// The rules of such a server: which pair is the present one.
    private final class Rules: Sendable {
        private let turn = Mutex(0)
        private let isOver = Mutex(false)

        var hasEnded: Bool { isOver.withLock { $0 } }

        func response(_ request: ScriptedServer.Request) -> ScriptedServer.Response? {
            let turn = turn.withLock { $0 }
            switch request.path {
            case "/api/auth/mobile/login": return issue()
            case OnyxFixture.refresh:
                return request.token == "r\(turn)" ? issue() : .json(#"{"detail":"Unauthorized"}"#, 401)
            case OnyxFixture.logout:
                isOver.withLock { $0 = request.token == "r\(turn)" }
                return ScriptedServer.Response(status: 204, headers: [:])
            case "/api/auth/type": return nil
            default:
                return request.token == "a\(turn)"
                    ? .json(#"{"id":"7","email":"ada@example.org","is_active":true}"#)
                    : .json(#"{"error_code":"SESSION_EXPIRED","detail":"It ended."}"#, 403)
            }
        }

        /// Makes every token given out so far worthless.
        func replace() {
            turn.withLock { $0 += 1 }
        }

        private func issue() -> ScriptedServer.Response {
            let turn = turn.withLock { turn in
                turn += 1
                return turn
            }
            return .json(
                #"{"access_token":"a\#(turn)","token_type":"Bearer","refresh_token":"r\#(turn)","expires_in":300}"#)
        }
    }

    private let fixture: OnyxFixture
    private let rules = Rules()

    init() throws {
        fixture = try OnyxFixture()
        fixture.onyx.intercept(rules.response)
    }

    @Test("OX-6 a short-lived token is renewed with its refresh token before it expires, by each program in turn")
    func renewed() async throws {
        let (mine, other) = (try await fixture.home.open(), try await fixture.home.open())
        let account = try await fixture.signIn(mine)
        let (here, there) = (try mine.session(for: account), try other.session(for: account))
        #expect(try await there.validToken().reveal() == "a1")

        fixture.home.clock.advance(by: 299)
        #expect(try await here.validToken().reveal() == "a2")
        #expect(try await there.validToken().reveal() == "a2")
        fixture.home.clock.advance(by: 299)
        #expect(try await there.validToken().reveal() == "a3")

        #expect(try await here.client.send(.get, "/api/me").status == .ok)
    }

    @Test(
        "OX-6 OX-13 a refused refresh token ends the session, and signing out revokes the refresh token")
    func reactive() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        rules.replace()

        let error = await #expect(throws: LatchError.self) { try await session.identity() }
        #expect(error?.code == .sessionEnded)

        let again = try await fixture.signIn(latch)
        let report = try await latch.signOut(again)
        #expect(report.isRevoked)
        #expect(rules.hasEnded)
    }
}
