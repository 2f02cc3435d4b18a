import LatchKit

/// Decides which screen comes first.
///
/// Source: IM-10, RM-3, TT-8, OX-14.
enum Gate: Equatable {
    /// The server is being asked whether it still accepts the session.
    case wait
    /// The device is locked.
    case lock
    /// There is no account.
    case connect
    /// The active account has no session.
    case signIn(Account, reason: String)
    /// The server requires a new password before anything else.
    case changePassword(Account)
    /// The session cannot be used now. A later try may succeed.
    case unavailable(Account, LatchError.Code)
    /// The app, with the identity of this account. The code says why the server was not reached; nil when it was.
    case app(Account, offline: LatchError.Code?)

    /// Decides from what the device knows.
    ///
    /// - Parameters:
    ///   - lock: The state of the device's lock.
    ///   - accounts: The accounts and their sessions.
    ///   - hasWaited: Whether the server had enough time to respond. Then the app opens with the stored identity.
    ///   - restoring: The accounts whose sessions are being restored after an unlocking. Their states are older.
    init(lock: DeviceLock.State, accounts: [AccountState], hasWaited: Bool, restoring: Set<Account.ID> = []) {
        guard lock != .locked else {
            self = .lock
            return
        }
        guard let active = Self.active(accounts) else {
            self = .connect
            return
        }
        self = Self.session(of: active, hasWaited: hasWaited, isRestoring: restoring.contains(active.account.id))
    }

    /// Returns the account whose session decides. Nil when there is none.
    static func active(_ accounts: [AccountState]) -> AccountState? {
        accounts.first(where: \.account.isActive) ?? accounts.first
    }

    private static func session(of active: AccountState, hasWaited: Bool, isRestoring: Bool) -> Self {
        let account = active.account
        let stored = hasWaited && account.personID != nil ? Self.app(account, offline: nil) : .wait
        switch active.state {
        case .signedOut(.notSignedIn): return .signIn(account, reason: "You are signed out. Sign in again.")
        case .signedOut(.ended(let reason)):
            return .signIn(account, reason: "You were signed out because \(reason). Sign in again.")
        case .signedIn where account.mustChangePassword: return .changePassword(account)
        case .signedIn(.verified): return .app(account, offline: nil)
        case .signedIn(.unverified(nil)), .restoring: return stored
        case .unavailable(.pinRequired) where isRestoring: return stored
        case .signedIn(.unverified(let code?)):
            // Without a stored identity there is nothing to show.
            return account.personID != nil ? .app(account, offline: code) : .unavailable(account, code)
        case .unavailable(let code): return .unavailable(account, code)
        case .signingOut: return .wait
        }
    }
}
