import Foundation
import Testing

@testable import LatchKit
@testable import LatchScreens

/// Which screen comes first.
@MainActor
@Suite("Gate") struct GateTests {
    private static func account(
        identity: String? = "1", isActive: Bool = true, mustChange: Bool = false
    ) -> Account {
        let person = identity.map { #""\#($0)""# } ?? "null"
        let json = """
            {"id": "6E0C7C6E-2B1F-4A57-9E36-0E5C0C0C0C0C", "displayName": "Ada", "serverUrl": "https://photos.example",
             "userEmail": "ada@example.org", "scopes": [], "createdAt": 0, "lastUsedAt": 0, "isActive": \(isActive),
             "dialect": "immich", "isSignedIn": true, "details": {}, "mustChangePassword": \(mustChange),
             "personId": \(person)}
            """
        // swift-format-ignore: NeverUseForceTry
        return try! JSONDecoder().decode(Account.self, from: Data(json.utf8))
    }

    private func gate(
        _ state: SessionState, _ account: Account = account(), lock: DeviceLock.State = .none, hasWaited: Bool = false,
        isRestoring: Bool = false
    ) -> Gate {
        Gate(
            lock: lock, accounts: [AccountState(account: account, state: state)], hasWaited: hasWaited,
            restoring: isRestoring ? [account.id] : [])
    }

    @Test("RM-3 without an account the address of a server is asked for, and a locked device shows nothing else")
    func first() {
        #expect(Gate(lock: .none, accounts: [], hasWaited: false) == .connect)
        #expect(Gate(lock: .locked, accounts: [], hasWaited: true) == .lock)
        #expect(gate(.signedIn(.verified), lock: .locked) == .lock)
        #expect(gate(.signedIn(.verified), lock: .unlocked) == .app(Self.account(), offline: nil))
    }

    @Test(
        "IM-10 TT-8 the app opens after the server has confirmed the session, or after a wait with the stored identity")
    func confirmed() {
        let account = Self.account()
        #expect(gate(.restoring) == .wait && gate(.signedIn(.unverified(nil))) == .wait)
        #expect(gate(.signedIn(.verified)) == .app(account, offline: nil))
        #expect(gate(.signedIn(.unverified(nil)), hasWaited: true) == .app(account, offline: nil))
        #expect(gate(.restoring, Self.account(identity: nil), hasWaited: true) == .wait)
    }

    @Test("IM-15 IM-10 after an unlocking the app opens with the stored identity while the server does not respond")
    func unlocked() {
        let account = Self.account()
        let locked = SessionState.unavailable(.pinRequired)
        #expect(gate(locked, lock: .unlocked, isRestoring: true) == .wait)
        #expect(gate(locked, lock: .unlocked, hasWaited: true, isRestoring: true) == .app(account, offline: nil))
        #expect(gate(locked, lock: .unlocked, hasWaited: true) == .unavailable(account, .pinRequired))
    }

    @Test("OX-14 offline the app shows the stored identity; without one there is Retry; only the server signs out")
    func offline() {
        let (account, unknown) = (Self.account(), Self.account(identity: nil))
        #expect(gate(.signedIn(.unverified(.timedOut))) == .app(account, offline: .timedOut))
        #expect(gate(.signedIn(.unverified(.timedOut)), unknown) == .unavailable(unknown, .timedOut))
        #expect(gate(.unavailable(.secretStoreLocked)) == .unavailable(account, .secretStoreLocked))
        let ended = gate(.signedOut(.ended("the server ended the session")))
        #expect(
            ended
                == .signIn(
                    account, reason: "You were signed out because the server ended the session. Sign in again."))
        #expect(gate(.signedOut(.notSignedIn)) == .signIn(account, reason: "You are signed out. Sign in again."))
    }

    @Test("IM-16 OX-14 a certificate is named as the reason, with the button that asks about it")
    func certificate() {
        let account = Self.account()
        let error = AppScreen.error(.certificatePinMismatch, account)
        #expect(error.isAboutCertificate && error.message.hasPrefix("SSL certificate error"))
        #expect(!AppScreen.error(.timedOut, account).isAboutCertificate)
        #expect(MainScreen.reason(.certificateExpired, account)?.hasPrefix("The certificate of photos.example") == true)
        #expect(MainScreen.reason(.timedOut, account)?.hasPrefix("photos.example is not reachable") == true)
    }

    @Test("IM-12 a required password change comes before the app")
    func password() {
        let account = Self.account(mustChange: true)
        #expect(gate(.signedIn(.verified), account) == .changePassword(account))
        #expect(gate(.signedIn(.unverified(.timedOut)), account) == .changePassword(account))
    }

    @Test("RM-2 the active account decides, and the first one when none is active")
    func active() {
        let (one, two) = (Self.account(isActive: false), Self.account(identity: "2"))
        let list = [
            AccountState(account: one, state: .signedOut(.notSignedIn)),
            AccountState(account: two, state: .signedIn(.verified)),
        ]
        #expect(Gate(lock: .none, accounts: list, hasWaited: false) == .app(two, offline: nil))
        #expect(
            Gate(lock: .none, accounts: [list[0]], hasWaited: false)
                == .signIn(one, reason: "You are signed out. Sign in again."))
    }
}
