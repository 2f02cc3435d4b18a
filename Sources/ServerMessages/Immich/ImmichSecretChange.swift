import HTTPMessages

/// The body of `POST /auth/change-password`. Without ``newPassword``, the body of the older `PUT`.
///
/// Source: IM-12; docs/protocols/immich.md, Passwords and Requests that no release has.
package struct ImmichPasswordChange: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The current password. In the older form, the new password.
    package var password: String
    /// The new password. Nil in the older form.
    package var newPassword: String?
    /// Whether the client asks to end the other sessions. latchd ends them in either case.
    package var invalidateSessions: Bool?

    /// Creates a request body.
    package init(password: String, newPassword: String? = nil, invalidateSessions: Bool? = nil) {
        self.password = password
        self.newPassword = newPassword
        self.invalidateSessions = invalidateSessions
    }

    /// The name of the type, without the values.
    package var description: String { "ImmichPasswordChange" }

    /// An empty mirror, so that dumps show no secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The body of every request about a PIN: to set, change or remove it, or to unlock a session.
///
/// Source: IM-15; docs/protocols/immich.md, PIN and locked assets.
package struct ImmichPINRequest: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The PIN to set, or the current PIN.
    package var pinCode: String?
    /// The new PIN, when the PIN is changed.
    package var newPinCode: String?
    /// The password, when it authenticates the request in place of the PIN.
    package var password: String?

    /// Creates a request body.
    package init(pinCode: String? = nil, newPinCode: String? = nil, password: String? = nil) {
        self.pinCode = pinCode
        self.newPinCode = newPinCode
        self.password = password
    }

    /// The name of the type, without the values.
    package var description: String { "ImmichPINRequest" }

    /// An empty mirror, so that dumps show no secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
