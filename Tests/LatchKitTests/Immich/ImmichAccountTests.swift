import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Password, sessions, PIN, and what happens around signing in and out, at servers of every generation.
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

    @Test(
        "IM-15 a PIN is set, changed, used and removed, with any success status", arguments: ImmichGeneration.all
    )
    func pin(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let (dialect, client) = (ImmichDialect(), session.client)
        let (first, second) = (try PIN(Secret("123456")), try PIN(Secret("654321")))
        guard generation.hasPIN else {
            let none = try await #require(throws: LatchError.self) {
                try await dialect.perform(.set(first), with: client)
            }
            #expect(none.code == .serverRefused && none.message.contains("from version 1.133"))
            return
        }
        #expect(try await dialect.pinState(with: client) == PINState(isSet: false, isUnlocked: false))
        func refused(_ act: PINAction) async throws -> LatchError.Code {
            try await #require(throws: LatchError.self) { try await dialect.perform(act, with: client) }.code
        }
        #expect(try await refused(.remove(.pin(first))) == .serverRefused)
        try await dialect.perform(.set(first), with: client)
        #expect(try await refused(.set(second)) == .serverRefused)
        #expect(try await refused(.unlock(second)) == .wrongPIN)
        try await dialect.perform(.unlock(first), with: client)
        #expect(try await dialect.pinState(with: client).isUnlocked)
        try await dialect.perform(.lock, with: client)
        #expect(try await !dialect.pinState(with: client).isUnlocked)
        #expect(try await refused(.change(to: second, .password(Secret("wrong")))) == .wrongCredentials)
        #expect(try await refused(.change(to: second, .pin(second))) == .wrongPIN)
        try await dialect.perform(.change(to: second, .password(Secret("correct horse"))), with: client)
        try await dialect.perform(.remove(.pin(second)), with: client)
        #expect(try await !dialect.pinState(with: client).isSet)
        #expect(try await latch.accounts.activeAccount()?.isSignedIn == true)
    }

    @Test("IM-15 if the released routes are missing, the specification's are used")
    func specifiedPIN() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            switch (request.method, request.path) {
            case ("POST", "/api/auth/pin-code"): ImmichGeneration.newest.error(405, "no")
            case ("POST", "/api/auth/session/unlock"): ImmichGeneration.newest.error(404, "no")
            case ("PUT", "/api/auth/pin-code"), ("POST", "/api/auth/pin-code/verify"): .json("{}")
            default: nil
            }
        }
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let pin = try PIN(Secret("123456"))
        try await ImmichDialect().perform(.set(pin), with: session.client)
        try await ImmichDialect().perform(.unlock(pin), with: session.client)
        #expect(
            fixture.wire.requests.suffix(4).map { $0.method + $0.path.dropFirst(9) } == [
                "POST/pin-code", "PUT/pin-code", "POST/session/unlock", "POST/pin-code/verify",
            ])
    }

    @Test("IM-15 a lock-out is reported with its time, and ends no session")
    func lockOut() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            guard request.path == "/api/auth/session/unlock" else { return nil }
            return ScriptedServer.Response(
                status: 429, headers: ["Content-Type": "application/json", "Retry-After": "30"],
                body: #"{"message":"x"}"#)
        }
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let error = try await #require(throws: LatchError.self) {
            try await ImmichDialect().perform(.unlock(try PIN(Secret("123456"))), with: session.client)
        }
        #expect(error.code == .rateLimited && error.retryAfter == .seconds(30) && error.message.contains("30 seconds"))
        #expect(session.state.isSignedIn)
    }

    @Test("IM-15 a PIN of four digits is accepted by the specification's routes, and reported as too short elsewhere")
    func shortPIN() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let session = try latch.session(for: try await fixture.signIn(latch))
        let pin = try PIN(Secret("1234"))
        fixture.immich.intercept { request in
            let isPIN = request.path.hasPrefix("/api/auth/pin-code") || request.path == "/api/auth/session/unlock"
            return isPIN ? ImmichGeneration.newest.invalid("pinCode", "must match") : nil
        }
        let error = try await #require(throws: LatchError.self) {
            try await ImmichDialect().perform(.set(pin), with: session.client)
        }
        #expect(error.code == .invalidRequest && error.message.contains("exactly six digits"), "\(error)")

        fixture.immich.intercept { request in
            switch (request.method, request.path) {
            case ("POST", "/api/auth/pin-code"): ImmichGeneration.newest.error(405, "no")
            case ("POST", "/api/auth/session/unlock"): ImmichGeneration.newest.error(404, "no")
            case ("PUT", "/api/auth/pin-code"), ("POST", "/api/auth/pin-code/verify"):
                request.json == ["pinCode": "1234"] ? .json("{}") : .json("{}", 400)
            default: nil
            }
        }
        try await ImmichDialect().perform(.set(pin), with: session.client)
        try await ImmichDialect().perform(.unlock(pin), with: session.client)
    }

    @Test("IM-15 four to six digits are a PIN", arguments: ["", "123", "1234567", "12345a", "１２３４５６", "12 456"])
    func noPIN(_ text: String) throws {
        #expect(throws: LatchError.self) { try PIN(Secret(text)) }
    }

    private final class Steps<Step: Sendable>: Sendable {
        private let all = Mutex<[Step]>([])
        func take(_ step: Step) { all.withLock { $0.append(step) } }
        var taken: [Step] { all.withLock { $0 } }
    }

    @Test(
        "IM-6 after a sign-in token, account, device, connection, pictures, first sync and main screen follow in this order"
    )
    func signInOrder() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let steps = Steps<(step: SignInProgress, requests: Int)>()
        let account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: server
        ) { [wire = fixture.wire] in steps.take(($0, wire.requests.count)) }

        let performed = steps.taken.map(\.step)
        try #require(performed.count == 7)
        #expect(performed[0] == .tokenStored && performed[1] == .accountStored)
        #expect(performed[2] == .deviceKnown(try await latch.accounts.deviceID()))
        #expect(performed[3] == .realTimeOpened(isConnected: false) && performed[4] == .picturesNeeded)
        guard case .synced(let sync) = performed[5] else { return #expect(Bool(false), "\(performed[5])") }
        #expect(sync.person?.email == "ada@example.org" && sync.version == "v3.1.0")
        #expect(sync.albums == 1 && sync.photographs == 12 && sync.videos == 3)
        #expect(performed[6] == .ready)
        // Nothing is asked with the token before it is kept.
        #expect(steps.taken[2].requests == fixture.asked("/api/auth/login").count + steps.taken[0].requests - 1)
        #expect(account.isActive)
    }

    @Test("IM-6 after each step of a sign-in, server, secret store and database have the specified state")
    func signInSteps() async throws {
        let fixture = try ImmichFixture()
        let store = WatchedStore(fixture.home.secrets)
        let latch = try await fixture.home.open(secrets: store)
        let server = try await fixture.server(latch)
        let seen = Steps<String>()
        store.watch { act, key in
            guard act == .write, key.service == "latchstring" else { return }
            let stage = (try? await latch.accounts.stage()) ?? "none"
            let isAsked = fixture.wire.requests.contains { $0.path == "/api/auth/login" }
            let isUsed = fixture.wire.requests.contains { $0.path == "/api/albums" }
            seen.take("token: row \(stage), login \(isAsked), sync \(isUsed)")
        }
        fixture.immich.intercept { [home = fixture.home] request in
            guard ["/api/auth/login", "/api/albums"].contains(request.path) else { return nil }
            seen.take(
                "\(request.path): "
                    + Self.wait {
                        let account = try await latch.accounts.activeAccount()
                        let row = try await latch.accounts.stage() ?? "none"
                        let id = try await latch.accounts.rowIDs().first ?? UUID()
                        let token = try await home.secrets.read(AccountStore.tokenKey(id))
                        return "row \(row), active \(account != nil), token \(token != nil)"
                    })
            return nil
        }

        _ = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: server)

        #expect(
            seen.taken == [
                "/api/auth/login: row none, active false, token false", "token: row pending, login true, sync false",
                "/api/albums: row in, active true, token true",
            ])
    }

    @Test("IM-11 after each step of signing out, server, secret store and database have the specified state")
    func signOutSteps() async throws {
        let fixture = try ImmichFixture()
        let store = WatchedStore(fixture.home.secrets)
        let latch = try await fixture.home.open(secrets: store)
        let account = try await fixture.signIn(latch)
        let key = AccountStore.tokenKey(account.id)
        let seen = Steps<String>()
        store.watch { act, removed in
            guard act == .remove, removed == key else { return }
            let stage = (try? await latch.accounts.stage()) ?? "none"
            seen.take("token: row \(stage), session \(fixture.immich.state.withLock { !$0.live.isEmpty })")
        }
        fixture.immich.intercept { [home = fixture.home] request in
            guard request.path == "/api/auth/logout" else { return nil }
            seen.take(
                "server: "
                    + Self.wait {
                        let row = try await latch.accounts.stage() ?? "none"
                        let shown = try await latch.accounts.accounts().count
                        return "row \(row), shown \(shown), token \(try await home.secrets.read(key) != nil)"
                    })
            return nil
        }
        try await latch.signOut(account) { step in
            // The order of what has no place of its own to be looked at.
            if step == .accountRemoved || step == .signedOut { seen.take("\(step)") }
        }
        #expect(
            seen.taken == [
                "server: row leaving, shown 0, token true", "token: row leaving, session false", "accountRemoved",
                "signedOut",
            ])
        #expect(try await latch.accounts.stage() == nil)
    }

    /// Waits on a thread of the server's own.
    private static func wait(_ look: @escaping @Sendable () async throws -> String) -> String {
        let (done, result) = (DispatchSemaphore(value: 0), Steps<String>())
        Task {
            result.take((try? await look()) ?? "failed")
            done.signal()
        }
        done.wait()
        return result.taken[0]
    }

    @Test("IM-6 IM-12 a server that requires a new password first gets no other request before")
    func requiredPasswordFirst() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.set { $0.mustChange = true }
        let latch = try await fixture.home.open()
        let steps = Steps<SignInProgress>()
        _ = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")),
            to: try await fixture.server(latch), onStep: steps.take)
        #expect(steps.taken.suffix(2) == [.passwordChangeRequired, .ready] && fixture.asked("/api/albums").isEmpty)
    }

    @Test("IM-6 a failed first sync does not fail the sign-in", arguments: [404, 500, 502])
    func failedSync(_ status: Int) async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            request.path.hasPrefix("/api/auth") || request.path.hasPrefix("/api/server/")
                || request.path.hasPrefix("/.well")
                ? nil : .page(status)
        }
        let latch = try await fixture.home.open()
        let steps = Steps<SignInProgress>()
        let account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")),
            to: try await fixture.server(latch), onStep: steps.take)
        #expect(account.isSignedIn && steps.taken.contains(.synced(FirstSync())) && steps.taken.last == .ready)
    }

    @Test(
        "IM-11 signing out notifies the server, then removes token and account, and stops running tasks",
        arguments: [true, false])
    func signOutOrder(_ answers: Bool) async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        if !answers { fixture.wire.stop() }
        let steps = Steps<SignOutProgress>()
        try await latch.signOut(account, onStep: steps.take)
        #expect(
            steps.taken == [
                .serverNotified(isRevoked: answers), .tokenRemoved, .accountRemoved, .backgroundStopped, .syncCancelled,
                .signedOut,
            ])
        #expect(try await latch.accounts.rowIDs().isEmpty)
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
