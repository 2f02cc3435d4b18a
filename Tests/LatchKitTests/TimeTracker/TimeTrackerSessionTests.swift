import Foundation
import HTTPMessages
import SecretStorage
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct TimeTrackerSessionTests {
    @Test("TT-6 each request with a token has Accept and Content-Type for JSON, unless it sets its own")
    func headers() async throws {
        let fixture = try TimeTrackerFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        _ = try await session.identity()
        _ = try await session.client.send(.get, "/clients")
        _ = try await session.client.send(.get, "/clients", headers: ["Accept": "text/csv"])
        try await session.signOut()

        let authenticated = fixture.wire.requests.filter { $0.token != nil }
        #expect(authenticated.count >= 4)
        for request in authenticated {
            #expect(request.headers["Authorization"]?.hasPrefix("Bearer ey") == true)
            #expect(request.headers.values("Content-Type") == ["application/json"])
        }
        #expect(authenticated.map { $0.headers.values("Accept") }.filter { $0 == ["text/csv"] }.count == 1)
        #expect(authenticated.count { $0.headers.values("Accept") == ["application/json"] } == authenticated.count - 1)
    }

    @Test("TT-11 an empty successful response is accepted")
    func empty() async throws {
        let fixture = try TimeTrackerFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let response = try await session.client.send(.delete, "/clients")
        #expect(response.status == .ok && response.body.isEmpty)
    }

    static let reasons = [
        ("jwt expired", "session expired"), ("invalid signature", "signing key"),
        ("session ended", "ended on the server"),
        ("jwt malformed", "(jwt malformed)"),
    ]

    @Test("TT-7 a 401 ends the session once, however many requests fail together, and says why", arguments: reasons)
    func ended(_ reason: String, _ words: String) async throws {
        let fixture = try TimeTrackerFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        _ = try await session.identity()
        let states = session.stateUpdates
        let asked = fixture.wire.count("/auth/me")
        fixture.script.endAll(reason)

        let codes = await withTaskGroup(of: (LatchError.Code, String)?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        _ = try await session.client.send(.get, "/clients")
                        return nil
                    } catch {
                        return (error as? LatchError).map { ($0.code, $0.message) }
                    }
                }
            }
            return await group.reduce(into: [(LatchError.Code, String)]()) { if let one = $1 { $0.append(one) } }
        }

        #expect(codes.count == 20 && codes.allSatisfy { $0.0 == .sessionEnded && $0.1.contains(words) }, "\(codes)")
        #expect(fixture.wire.count("/auth/me") == asked + 1)
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == false)
        for key in AccountStore.tokenKeys(account.id) { #expect(try await fixture.home.secrets.read(key) == nil) }
        await latch.close()
        var ends = 0
        for await state in states { if case .signedOut = state { ends += 1 } }
        #expect(ends == 1)
    }

    static let interceptedResponses: [ScriptedServer.Response] = [
        .json(#"{"error":"Unauthorized"}"#, 401), .json(#"{"message":"who?"}"#, 401), .page(401), .page(200),
        .redirect("https://sso.example.org/login"), .json(#"{"error":"Unauthorized"}"#, 503), .page(502),
        ScriptedServer.Response(status: 401, headers: ["WWW-Authenticate": "Basic realm=x"]), .silence,
    ]

    @Test("TT-7 TT-8 an intercepted response ends no session", arguments: interceptedResponses)
    func interceptedResponse(_ response: ScriptedServer.Response) async throws {
        let fixture = try TimeTrackerFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        // It stands in front of everything, the questions by which a refusal is confirmed too.
        fixture.script.intercept { _ in response }
        let again = try await fixture.home.open()
        let session = try again.session(for: account)

        let state = await session.restore()
        #expect(state.isSignedIn, "\(state)")
        let error = await #expect(throws: LatchError.self) { try await session.identity() }
        #expect(error?.code.leavesSessionUnknown == true)
        fixture.script.intercept(nil)
        #expect(try await session.identity().id == "sub-7")
    }

    @Test("TT-8 the session is checked at the start; without a network it is kept")
    func start() async throws {
        let fixture = try TimeTrackerFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let asked = fixture.wire.count("/auth/me")
        let second = try await fixture.home.open()
        let verified = try second.session(for: account)
        #expect(await verified.restore() == .signedIn(.verified))
        #expect(fixture.wire.count("/auth/me") == asked + 1)

        fixture.wire.stop()
        let third = try await fixture.home.open()
        let offline = try third.session(for: account)
        guard case .signedIn(.unverified) = await offline.restore() else {
            Issue.record("\(offline.state)")
            return
        }
        #expect(try await third.accounts.activeAccount()?.isSignedIn == true)
    }

    struct SignOutCase: Sendable {
        var response: ScriptedServer.Response
        var revokes = false
        let words: String?
    }

    static let signOutCases = [
        SignOutCase(response: .json(#"{"error":"Failed to logout"}"#, 500), words: "cannot revoke a token"),
        SignOutCase(response: .json(#"{"message":"Logged out successfully"}"#), words: "still accepts the token"),
        SignOutCase(response: .json(#"{"message":"Logged out successfully"}"#), revokes: true, words: nil),
        SignOutCase(response: .json(#"{"error":"Failed to logout"}"#, 503), words: "not available at the moment"),
        SignOutCase(response: .page(200), words: "the response is a web page"),
        SignOutCase(response: .silence, words: "was lost"),
    ]

    @Test(
        "TT-12 signing out always clears this device, and reports whether the token is still valid",
        arguments: signOutCases)
    func signOut(_ row: SignOutCase) async throws {
        var settings = TimeTrackerScript.Settings()
        settings.logout = row.response
        settings.revokes = row.revokes
        let fixture = try TimeTrackerFixture(settings)
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)

        let report = try await latch.signOut(account)

        #expect(report.isRevoked == (row.words == nil))
        if let words = row.words {
            #expect(report.failure?.message.contains(words) == true, "\(report.failure?.message ?? "")")
        }
        #expect(try await latch.accounts.accounts().isEmpty)
        for key in AccountStore.tokenKeys(account.id) { #expect(try await fixture.home.secrets.read(key) == nil) }
        #expect(fixture.wire.requests.contains { $0.method == "POST" && $0.path == "/auth/logout" && $0.token != nil })
    }

    @Test(
        "TT-5 the token is only in the secret store, as com.timetracker.app and accessToken, with the account's id"
    )
    func secret() async throws {
        let fixture = try TimeTrackerFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let id = account.id.uuidString.lowercased()
        let key = SecretKey(service: "com.timetracker.app", account: "accessToken", id: id)
        let token = try #require(try await fixture.home.secrets.read(key)).reveal()
        #expect(fixture.script.live == [token])
        #expect(try fixture.home.files(holding: token).isEmpty)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
    }

    @Test(
        "TT-5 a token of an earlier release is found, and the next sign-in uses the current name"
    )
    func earlierName() async throws {
        let fixture = try TimeTrackerFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        let names = AccountStore.tokenKeys(account.id)
        let token = try #require(try await fixture.home.secrets.read(names[1]))
        try await fixture.home.secrets.remove(names[1])
        try await fixture.home.secrets.write(token, for: names[0])

        let latch = try await fixture.home.open()
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
        let again = try await fixture.signIn(latch)
        #expect(again.id == account.id)
        #expect(try await fixture.home.secrets.read(names[0]) == nil)
        #expect(try await fixture.home.secrets.read(names[1]) != nil)
        _ = try await latch.signOut(again)
        for key in names { #expect(try await fixture.home.secrets.read(key) == nil) }
        await latch.close()
    }
}
