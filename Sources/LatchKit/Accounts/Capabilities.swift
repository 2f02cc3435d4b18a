/// What the client can do at a server beyond signing in and sending requests.
///
/// The server's family determines it, so no request is sent to find out. A program shows the matching menus:
///
/// ```swift
/// if account.capabilities.contains(.passwordChange) {
///     try await latch.changePassword(PasswordChange(current: old, new: new), of: account)
/// }
/// ```
public struct Capabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// People can sign in with e-mail address and password, unless the operator turned it off.
    public static let passwordSignIn = Self(rawValue: 1 << 0)
    /// People can sign in with the system's browser, if the server has an identity provider.
    public static let browserSignIn = Self(rawValue: 1 << 1)
    /// People can create an account, if the operator allows it: ``LatchClient/register(_:at:)``.
    public static let registration = Self(rawValue: 1 << 2)
    /// People can change their password: ``LatchClient/changePassword(_:of:)``.
    public static let passwordChange = Self(rawValue: 1 << 3)
    /// People can list and end their sessions: ``LatchClient/remoteSessions(of:)``.
    public static let remoteSessions = Self(rawValue: 1 << 4)
    /// Accounts hold an API key. People can list, replace and revoke keys: ``Session/keys()``.
    public static let keys = Self(rawValue: 1 << 5)
    /// A PIN protects part of the content: ``LatchClient/pinState(of:)``.
    public static let pin = Self(rawValue: 1 << 6)
    /// The client sends requests for the main screen right after sign-in: ``SignInProgress/synced(_:)``.
    public static let firstSync = Self(rawValue: 1 << 7)
    /// The server has a library of photos and videos that can be searched and downloaded.
    public static let pictureLibrary = Self(rawValue: 1 << 8)
    /// The server sends events: ``Session/events()``.
    public static let realTime = Self(rawValue: 1 << 9)
}

extension Account {
    /// What the client can do at the account's server. Empty when this version does not support the server's family.
    public var capabilities: Capabilities { Dialects.named(dialect, details: details)?.capabilities ?? [] }
}

extension Server {
    /// What the client can do at this server.
    public var capabilities: Capabilities { dialect.capabilities }

    /// The scopes that a key of this server needs at least. Nil when the server issues no keys.
    package var leastScopes: [String]? { (dialect as? any KeyDialect)?.leastScopes }
}

extension Dialect {
    /// The capabilities, from the protocols that the dialect conforms to.
    package var capabilities: Capabilities {
        var all: Capabilities = []
        if self is any PasswordDialect { all.insert(.passwordSignIn) }
        if self is any BrowserDialect { all.insert(.browserSignIn) }
        if self is any RegistrationDialect { all.insert(.registration) }
        if self is any PasswordChangeDialect { all.insert(.passwordChange) }
        if self is any SessionListDialect { all.insert(.remoteSessions) }
        if self is any KeyDialect { all.insert(.keys) }
        if self is any PINDialect { all.insert(.pin) }
        if self is any FirstSyncDialect { all.insert(.firstSync) }
        if self is any RealTimeDialect { all.insert(.realTime) }
        if hasPictureLibrary { all.insert(.pictureLibrary) }
        return all
    }
}
