public import Crypto

/// A new password and the proof that the person may set it.
public struct PasswordChange: Sendable {
    /// The current password. Nil when the server forces the change and does not require it.
    public var current: Secret?
    /// The new password.
    public var new: Secret
    /// Whether the server requires the change before anything else.
    public var isForced: Bool

    /// Makes a change.
    public init(current: Secret?, new: Secret, isForced: Bool = false) {
        self.current = current
        self.new = new
        self.isForced = isForced
    }
}
