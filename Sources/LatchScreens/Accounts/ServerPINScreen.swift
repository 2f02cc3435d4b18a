import LatchKit
public import Observation

/// The person's PIN on the server, which protects the locked folder there.
///
/// Source: IM-15.
@MainActor @Observable
public final class ServerPINScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The server is being asked whether there is a PIN, or performs a command.
        case working
        /// The person edits. The error is that of the last command.
        case editing(ScreenError?)
    }

    /// A field that the person edits.
    public enum Field: Sendable {
        /// The current PIN.
        case current
        /// The password, instead of the current PIN.
        case password
        /// The new PIN.
        case new
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "PIN of the locked folder"
        /// The name of the field for the current PIN.
        public static let current = PINText.current
        /// The name of the field for the password, with which a forgotten PIN is replaced.
        public static let password = "Password, if you forgot the PIN"
        /// The name of the field for the new PIN.
        public static let new = "New PIN (six digits)"
        /// The name of the field for the repeated new PIN.
        public static let again = PINText.again
        /// The button that sets the first PIN.
        public static let set = PINText.set
        /// The button that replaces the PIN.
        public static let change = PINText.change
        /// The button that removes the PIN.
        public static let remove = "Remove PIN"
        /// The button that locks again what is unlocked for this session.
        public static let lock = "Lock the folder on the server again"
        /// The error when the two new PINs differ.
        public static let differ = PINText.differ
        /// The error when nothing proves that the person may change the PIN.
        public static let proofNeeded =
            "The PIN was not changed. Enter the current PIN, or your password at the server."
    }

    /// What the PIN protects, and that it is not the PIN of the app lock.
    public var advice: String {
        "\(account.serverURL.authority) shows the pictures in the locked folder only after you enter this PIN, on every "
            + "device. It is not the PIN of the app lock."
    }
    /// What the screen shows.
    public private(set) var state = State.working
    /// Whether the server has said if there is a PIN. Until then nothing can be set.
    public private(set) var isKnown = false
    /// Whether ``load()`` helps, because the server did not say if there is a PIN.
    public var hasFailed: Bool { !isKnown && error != nil }
    /// Whether the person has a PIN.
    public private(set) var hasPIN = false
    /// Whether this session has access to the locked folder now.
    public private(set) var isUnlocked = false
    /// The current PIN. Empty again as soon as it was sent.
    public var current = "" { didSet { if !current.isEmpty { clearError() } } }
    /// The password. Empty again as soon as it was sent.
    public var password = "" { didSet { if !password.isEmpty { clearError() } } }
    /// The new PIN. Empty again as soon as it was sent.
    public var new = "" { didSet { if !new.isEmpty { clearError() } } }
    /// The new PIN once more.
    public var again = "" { didSet { if !again.isEmpty { clearError() } } }
    /// The error of the last command. Nil when there is none.
    public var error: ScreenError? { if case .editing(let error) = state { error } else { nil } }

    /// The field to correct after an error. Nil when there is none.
    public var errorField: Field? {
        switch error?.code {
        case LatchError.Code.weakPassword?, .invalidRequest?: .new
        case .wrongPIN?: .current
        case .wrongCredentials?: .password
        default: nil
        }
    }

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let account: Account
    @ObservationIgnored let work = ScreenTask()

    init(_ client: LatchClient, account: Account) {
        self.client = client
        self.account = account
        load()
    }

    /// Asks the server again whether there is a PIN.
    public func load() { perform(nil) }

    /// Sets the first PIN, or replaces the current one.
    public func save() {
        guard state != .working, isKnown, !new.isEmpty else { return }
        let (secret, repeated) = (Secret(new), Secret(again))
        let result = Result { () throws(LatchError) -> PINAction in
            guard secret == repeated else { throw LatchError(.weakPassword, Text.differ) }
            let pin = try PIN(secret)
            return hasPIN ? .change(to: pin, try proof()) : .set(pin)
        }
        perform(result)
    }

    /// Removes the PIN.
    public func remove() {
        guard state != .working, hasPIN else { return }
        perform(Result { () throws(LatchError) in .remove(try proof()) })
    }

    /// Locks the locked folder again.
    public func lock() {
        guard state != .working, isUnlocked else { return }
        perform(.success(.lock))
    }

    private func proof() throws(LatchError) -> PINProof {
        if !current.isEmpty { return .pin(try PIN(Secret(current))) }
        guard !password.isEmpty else { throw LatchError(.wrongPIN, Text.proofNeeded) }
        return .password(Secret(password))
    }

    /// Performs an action, or none, and asks the server for the state.
    private func perform(_ action: Result<PINAction, LatchError>?) {
        (current, password, new, again) = ("", "", "", "")
        if case .failure(let error) = action {
            state = .editing(ScreenError(error))
            return
        }
        state = .working
        work.start { [client, account, weak self] isCurrent in
            var failure: ScreenError?
            do {
                if let action { try await client.perform(action.get(), of: account) }
            } catch {
                failure = ScreenError(error)
            }
            do {
                let now = try await client.pinState(of: account)
                guard isCurrent(), let self else { return }
                (self.isKnown, self.hasPIN, self.isUnlocked) = (true, now.isSet, now.isUnlocked)
            } catch {
                failure = failure ?? ScreenError(error)
            }
            if isCurrent() { self?.state = .editing(failure) }
        }
    }

    private func clearError() {
        if case .editing(.some) = state { state = .editing(nil) }
    }
}
