public import LatchKit
public import Observation

/// Changes the person's password on the server, because the server requires it or the person wants it.
///
/// Source: IM-12.
@MainActor @Observable
public final class ChangePasswordScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The person enters the passwords. The error is that of the last try.
        case editing(ScreenError?)
        /// The server is changing the password.
        case changing
    }

    /// A field that the person edits.
    public enum Field: Sendable {
        /// The current password.
        case current
        /// The new password.
        case new
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Change password"
        /// The name of the field for the current password.
        public static let current = "Current password"
        /// The name of the field for the new password.
        public static let new = "New password"
        /// The name of the field for the repeated new password.
        public static let again = "Repeat the new password"
        /// The button that changes the password.
        public static let change = "Change password"
        /// The error when the two new passwords differ.
        public static let differ = "The two new passwords differ. Nothing was changed. Enter both again."
    }

    /// What the screen shows.
    public private(set) var state = State.editing(nil)
    /// The account.
    public let account: Account
    /// Whether the server requires the change before anything else. Then the current password is not needed.
    public var isForced: Bool { account.mustChangePassword }
    /// The server's requirements for a new password, as a sentence. Nil until they are known, or when there are none.
    public private(set) var rule: String?
    /// The current password. Empty again as soon as it was sent.
    public var current = "" { didSet { if !current.isEmpty { clearError() } } }
    /// The new password. Empty again as soon as it was sent.
    public var new = "" { didSet { if !new.isEmpty { clearError() } } }
    /// The new password once more.
    public var again = "" { didSet { if !again.isEmpty { clearError() } } }
    /// The error of the last try. Nil when there is none.
    public var error: ScreenError? { if case .editing(let error) = state { error } else { nil } }
    /// The field to correct after an error. Nil when there is none.
    public var errorField: Field? {
        switch error?.code {
        case LatchError.Code.weakPassword?: .new
        case .wrongCredentials?: isForced ? .new : .current
        default: nil
        }
    }
    /// Whether ``change()`` does anything.
    public var canChange: Bool {
        state != .changing && !new.isEmpty && !again.isEmpty && (isForced || !current.isEmpty)
    }

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let onResult: @MainActor (_ isChanged: Bool) -> Void
    @ObservationIgnored private var passwordRule: PasswordRule?
    @ObservationIgnored let work = ScreenTask()
    @ObservationIgnored private let loading = ScreenTask()

    init(_ client: LatchClient, account: Account, onResult: @escaping @MainActor (Bool) -> Void) {
        self.client = client
        self.account = account
        self.onResult = onResult
        // The rule helps the person, but a failure to get it does not prevent the change.
        loading.start { [weak self] isCurrent in
            let rule = try? await client.server(of: account).features.passwordRule
            guard isCurrent(), let rule else { return }
            self?.passwordRule = rule
            self?.rule = rule.sentence
        }
    }

    /// Changes the password.
    public func change() {
        guard canChange else { return }
        let (old, secret, repeated) = (isForced ? nil : Secret(current), Secret(new), Secret(again))
        (current, new, again) = ("", "", "")
        guard secret == repeated else {
            state = .editing(ScreenError(.weakPassword, Text.differ))
            return
        }
        if let problem = passwordRule?.problem(of: secret) {
            state = .editing(ScreenError(.weakPassword, "\(problem) Nothing was changed. Choose another password."))
            return
        }
        state = .changing
        let change = PasswordChange(current: old, new: secret, isForced: isForced)
        work.start { [client, account, weak self] isCurrent in
            do {
                try await client.changePassword(change, of: account)
                if isCurrent() { self?.onResult(true) }
            } catch {
                if isCurrent() { self?.state = .editing(ScreenError(error)) }
            }
        }
    }

    /// Leaves the screen. A change that was sent may still take effect.
    public func cancel() {
        work.cancel()
        (current, new, again) = ("", "", "")
        onResult(false)
    }

    private func clearError() {
        if case .editing(.some) = state { state = .editing(nil) }
    }
}
