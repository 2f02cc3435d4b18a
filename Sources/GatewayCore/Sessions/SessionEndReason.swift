/// Why a session was ended before it expired.
package enum SessionEndReason: String, Sendable, CaseIterable {
    /// The person signed out.
    case signedOut = "signed-out"
    /// An administrator revoked the session.
    case revoked
    /// The person's password was changed.
    case passwordChanged = "password-changed"
    /// The person was disabled.
    case personDisabled = "person-disabled"
    /// The person was removed.
    case personRemoved = "person-removed"
    /// The person had more sessions than allowed, and this was the oldest.
    case tooManySessions = "too-many-sessions"
    /// An old refresh token of the session's client was used, so its tokens were stolen.
    case tokenReused = "token-reused"
}
