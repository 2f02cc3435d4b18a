import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// The order of the steps of signing in and out, and the state after each.
@Suite(.timeLimit(.minutes(20))) struct ImmichSignInStepTests {
    @Test(
        "IM-6 after a sign-in token, account, device, connection, pictures, first sync and main screen follow in this order"
    )
    func signInOrder() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        let steps = Shared<[(step: SignInProgress, requests: Int)]>([])
        let account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: server
        ) { [wire = fixture.wire] in steps.append(($0, wire.requests.count)) }

        let performed = steps.value.map(\.step)
        try #require(performed.count == 7)
        #expect(performed[0] == .tokenStored && performed[1] == .accountStored)
        #expect(performed[2] == .deviceKnown(try await latch.accounts.deviceID()))
        #expect(performed[3] == .realTimeOpened(isConnected: false) && performed[4] == .picturesNeeded)
        guard case .synced(let sync) = performed[5] else { return #expect(Bool(false), "\(performed[5])") }
        #expect(sync.person?.email == "ada@example.org" && sync.version == "v3.1.0")
        #expect(sync.albums == 1 && sync.photographs == 12 && sync.videos == 3)
        #expect(performed[6] == .ready)
        // Nothing is asked with the token before it is kept.
        #expect(steps.value[2].requests == fixture.asked("/api/auth/login").count + steps.value[0].requests - 1)
        #expect(account.isActive)
    }

    @Test("IM-6 after each step of a sign-in, server, secret store and database have the specified state")
    func signInSteps() async throws {
        let fixture = try ImmichFixture()
        let store = WatchedStore(fixture.home.secrets)
        let latch = try await fixture.home.open(secrets: store)
        let server = try await fixture.server(latch)
        let seen = Shared<[String]>([])
        store.watch { act, key in
            guard act == .write, key.service == "latchstring" else { return }
            let stage = (try? await latch.accounts.stage()) ?? "none"
            let isAsked = fixture.wire.requests.contains { $0.path == "/api/auth/login" }
            let isUsed = fixture.wire.requests.contains { $0.path == "/api/albums" }
            seen.append("token: row \(stage), login \(isAsked), sync \(isUsed)")
        }
        fixture.immich.intercept { [home = fixture.home] request in
            guard ["/api/auth/login", "/api/albums"].contains(request.path) else { return nil }
            seen.append(
                "\(request.path): "
                    + waitOnThread {
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
            seen.value == [
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
        let seen = Shared<[String]>([])
        store.watch { act, removed in
            guard act == .remove, removed == key else { return }
            let stage = (try? await latch.accounts.stage()) ?? "none"
            seen.append("token: row \(stage), session \(fixture.immich.state.withLock { !$0.live.isEmpty })")
        }
        fixture.immich.intercept { [home = fixture.home] request in
            guard request.path == "/api/auth/logout" else { return nil }
            seen.append(
                "server: "
                    + waitOnThread {
                        let row = try await latch.accounts.stage() ?? "none"
                        let shown = try await latch.accounts.accounts().count
                        return "row \(row), shown \(shown), token \(try await home.secrets.read(key) != nil)"
                    })
            return nil
        }
        try await latch.signOut(account) { step in
            // The order of what has no place of its own to be looked at.
            if step == .accountRemoved || step == .signedOut { seen.append("\(step)") }
        }
        #expect(
            seen.value == [
                "server: row leaving, shown 0, token true", "token: row leaving, session false", "accountRemoved",
                "signedOut",
            ])
        #expect(try await latch.accounts.stage() == nil)
    }

    @Test("IM-6 IM-12 a server that requires a new password first gets no other request before")
    func requiredPasswordFirst() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.set { $0.mustChange = true }
        let latch = try await fixture.home.open()
        let steps = Shared<[SignInProgress]>([])
        _ = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")),
            to: try await fixture.server(latch), onStep: steps.append)
        #expect(steps.value.suffix(2) == [.passwordChangeRequired, .ready] && fixture.asked("/api/albums").isEmpty)
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
        let steps = Shared<[SignInProgress]>([])
        let account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")),
            to: try await fixture.server(latch), onStep: steps.append)
        #expect(account.isSignedIn && steps.value.contains(.synced(FirstSync())) && steps.value.last == .ready)
    }

    @Test(
        "IM-11 signing out notifies the server, then removes token and account, and stops running tasks",
        arguments: [true, false])
    func signOutOrder(_ answers: Bool) async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        if !answers { fixture.wire.stop() }
        let steps = Shared<[SignOutProgress]>([])
        try await latch.signOut(account, onStep: steps.append)
        #expect(
            steps.value == [
                .serverNotified(isRevoked: answers), .tokenRemoved, .accountRemoved, .backgroundStopped, .syncCancelled,
                .signedOut,
            ])
        #expect(try await latch.accounts.rowIDs().isEmpty)
    }
}
