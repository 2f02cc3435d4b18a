/// The body of `POST /auth/change-password`; with ``newPassword`` alone missing, that of the older `PUT`.
///
/// Source: IM-12; contract of Immich, endpoints; specification of the app, "Password Change".
public struct ImmichPasswordChange: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The current password; in the older form the new one.
    public var password: String
    /// The new password.
    public var newPassword: String?
    /// Whether other sessions shall end; they do whatever it says.
    public var invalidateSessions: Bool?

    /// Makes a body.
    public init(password: String, newPassword: String? = nil, invalidateSessions: Bool? = nil) {
        self.password = password
        self.newPassword = newPassword
        self.invalidateSessions = invalidateSessions
    }

    /// Without the passwords.
    public var description: String { "ImmichPasswordChange" }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The body of every request about a PIN: setting, changing, taking away, unlocking a session.
///
/// Source: IM-15; contract of Immich, b.7.
public struct ImmichPINRequest: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The PIN: the one to set, or the one that is set.
    public var pinCode: String?
    /// The new PIN of a change.
    public var newPinCode: String?
    /// The password, where it proves who asks in place of the PIN.
    public var password: String?

    /// Makes a body.
    public init(pinCode: String? = nil, newPinCode: String? = nil, password: String? = nil) {
        self.pinCode = pinCode
        self.newPinCode = newPinCode
        self.password = password
    }

    /// Without any of them.
    public var description: String { "ImmichPINRequest" }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
