import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Passwords, sessions and the device at servers of every generation.
@Suite(.timeLimit(.minutes(20))) struct ImmichAccountTests {
    @Test(
        "IM-12 a forced change uses the route that ends the requirement, which is stored here",
        arguments: ImmichGeneration.all)
    func forced(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        fixture.immich.set { $0.mustChange = true }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        #expect(account.mustChangePassword)
        let session = try latch.session(for: account)
        try await latch.changePassword(
            PasswordChange(current: nil, new: Secret("a better one"), isForced: true), of: account)
        #expect(fixture.asked("/api/auth/change-password").isEmpty)
        #expect(fixture.immich.state.withLock { $0.password == "a better one" && !$0.mustChange })
        #expect(try await latch.accounts.account(account.id)?.mustChangePassword == false)
        #expect(try await session.identity().email == "ada@example.org")
    }

    @Test("IM-12 if PUT is not supported, PATCH is used", arguments: [404, 405])
    func patch(_ status: Int) async throws {
        let fixture = try ImmichFixture()
        fixture.immich.set { $0.mustChange = true }
        fixture.immich.intercept { request in
            request.method == "PUT" && request.path == "/api/users/me"
                ? ImmichGeneration.newest.error(status, "no") : nil
        }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.changePassword(
            PasswordChange(current: nil, new: Secret("a better one"), isForced: true), of: account)
        #expect(fixture.immich.state.withLock(\.password) == "a better one")
    }

    @Test(
        "IM-12 if there is only the specification's PUT /auth/change-password, it is used",
        arguments: [true, false])
    func specified(_ isForced: Bool) async throws {
        let fixture = try ImmichFixture()
        fixture.immich.set { $0.mustChange = isForced }
        // The script keeps the closure, so the closure must not keep the script.
        fixture.immich.intercept { [weak immich = fixture.immich] request in
            switch (request.method, request.path) {
            case ("PUT", "/api/auth/change-password"):
                immich?.set { $0.password = request.json?["password"]?.string ?? "" }
                return .json("{}")
            case ("PUT", "/api/users/me"), ("PATCH", "/api/users/me"): return ImmichGeneration.newest.error(404, "no")
            case ("POST", "/api/auth/change-password"): return ImmichGeneration.newest.error(405, "no")
            default: return nil
            }
        }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.changePassword(
            PasswordChange(
                current: isForced ? nil : Secret("correct horse"), new: Secret("a better one"), isForced: isForced),
            of: account)
        #expect(fixture.immich.state.withLock(\.password) == "a better one")
        let last = try #require(fixture.wire.requests.last)
        #expect(last.method == "PUT" && last.json == ["password": "a better one"])
    }

    @Test("IM-12 until the password is changed, every program refuses all other requests and stays signed in")
    func blocksOtherRequests() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.set { $0.mustChange = true }
        let (latch, other) = (try await fixture.home.open(), try await fixture.home.open())
        let account = try await fixture.signIn(latch)
        let dialect = ImmichDialect()
        let sessions = [try latch.session(for: account), try other.session(for: account)]
        let asked = fixture.wire.requests.count
        for client in sessions.map(\.client) {
            for act: () async throws -> Void in [
                { _ = try await client.send(.get, "/api/albums") }, { _ = try await dialect.sessions(with: client) },
                { _ = try await dialect.pinState(with: client) },
            ] {
                let error = try await #require(throws: LatchError.self) { try await act() }
                #expect(error.code == .passwordChangeRequired, "\(error)")
            }
        }
        #expect(fixture.wire.requests.dropFirst(asked).allSatisfy { $0.path == "/api/users/me" })
        #expect(await sessions[0].restore().isSignedIn)

        try await latch.changePassword(
            PasswordChange(current: nil, new: Secret("a better one"), isForced: true), of: account)
        for session in sessions { #expect(try await session.client.send(.get, "/api/albums").status == .ok) }
    }

    @Test("IM-12 after a change on the server's own pages requests are sent again, and errors are reported as usual")
    func changedElsewhere() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.set { $0.mustChange = true }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let client = try latch.session(for: account).client
        fixture.immich.set { $0.mustChange = false }
        fixture.immich.intercept { _ in .page(502) }
        let error = try await #require(throws: LatchError.self) { try await client.send(.get, "/api/albums") }
        #expect(error.code == .serverError, "\(error)")
        fixture.immich.intercept(nil)
        #expect(try await client.send(.get, "/api/albums").status == .ok)
        #expect(try await latch.accounts.account(account.id)?.mustChangePassword == false)
        let asked = fixture.wire.requests.count
        #expect(try await client.send(.get, "/api/albums").status == .ok)
        #expect(fixture.wire.requests.count == asked + 1)
    }

    @Test(
        "IM-12 a voluntary change sends the current password, and the session stays",
        arguments: ImmichGeneration.all)
    func voluntaryChange(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        var change = PasswordChange(current: Secret("wrong"), new: Secret("a better one"))
        let wrong = try await #require(throws: LatchError.self) { try await latch.changePassword(change, of: account) }
        #expect(wrong.code == .wrongCredentials)
        change = PasswordChange(current: Secret("correct horse"), new: Secret("short"))
        let weak = try await #require(throws: LatchError.self) { try await latch.changePassword(change, of: account) }
        #expect(weak.code == .weakPassword && weak.message.contains("8 characters"))
        try await latch.changePassword(
            PasswordChange(current: Secret("correct horse"), new: Secret("a better one")), of: account)
        #expect(fixture.asked("/api/auth/change-password").allSatisfy { $0.method == "POST" })
        #expect(try await session.identity().email == "ada@example.org")
    }

    @Test("the person's sessions are listed and ended", arguments: ImmichGeneration.all)
    func sessions(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        fixture.immich.set { $0.live["elsewhere"] = "session-0" }
        let dialect = try #require(session.dialect as? any SessionListDialect)
        let listed = try await dialect.sessions(with: session.client)
        #expect(listed.map(\.id) == ["session-0", "session-1"] && listed.map(\.isCurrent) == [false, true])
        #expect(listed[0].device == "test" && listed[0].system == "Linux")
        let used = try #require(listed[0].lastUsed)
        #expect(Int(used.timeIntervalSince1970) == 1_767_323_045)
        try await dialect.endSession("session-0", with: session.client)
        #expect(try await dialect.sessions(with: session.client).count == 1)
        let error = try await #require(throws: LatchError.self) {
            try await dialect.endSession("session-0", with: session.client)
        }
        #expect(error.code == .serverRefused && error.message.contains("no such session"))
    }

    @Test("IM-6 the device's id is created once, also by many concurrent programs")
    func deviceID() async throws {
        let home = try HomeFixture()
        let programs = [try await home.open(), try await home.open(), try await home.open()]
        let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
            for index in 0..<30 { group.addTask { try await programs[index % 3].accounts.deviceID() } }
            var ids: Set<UUID> = []
            for try await id in group { ids.insert(id) }
            return ids
        }
        #expect(ids.count == 1)
        #expect(try await home.open().accounts.deviceID() == ids.first)
        for program in programs { await program.close() }
    }

    @Test("IM-1 IM-10 at a start without network the previous session is restored and kept")
    func offlineStart() async throws {
        let fixture = try ImmichFixture()
        var latch = try await fixture.home.open()
        _ = try await fixture.signIn(latch)
        await latch.close()
        fixture.wire.stop()
        latch = try await fixture.home.open()
        let session = try await latch.activeSession()
        #expect(await session.restore() == .signedIn(.unverified(.connectionRefused)))
        #expect(try await session.validToken() == Secret("token-number-1"))
    }
}
