public import LatchKit
public import Observation
import Primitives

/// Unlocks the device: with its PIN or with the system's own authentication.
///
/// Source: IM-15; docs/lock.md.
@MainActor @Observable
public final class LockScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The person unlocks. The error is that of the last try.
        case locked(ScreenError?)
        /// The PIN is being checked, or the system asks the person.
        case unlocking(DeviceLock.Method)
        /// The lock is being removed.
        case removing
        /// The person is asked whether to remove the lock, after which all accounts must sign in again.
        case forgetting
        /// The device is unlocked.
        case unlocked
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Latchstring is locked"
        /// The name of the field for the PIN.
        public static let pin = "PIN"
        /// The button that unlocks with the PIN.
        public static let unlock = "Unlock"
        /// The button that unlocks with the system's authentication.
        public static let useSystem = "Use the password of this computer"
        /// The button for a person who does not know the PIN.
        public static let forgot = "Forgot the PIN?"
        /// The heading of the question whether to remove the lock.
        public static let forgetTitle = "Remove the lock?"
        /// The result of removing the lock.
        public static let forgetAdvice =
            "Your accounts stay in the list, but you must sign in to each of them again. Downloaded files are kept."
        /// The button that removes the lock.
        public static let forget = LockSettingsScreen.Text.remove
        /// The button that stops waiting for the system's authentication.
        public static let stop = CommonText.cancel
        /// What is shown while the system asks the person.
        public static let systemAsks = "Confirm in the dialog of your system…"
        /// What is shown while the lock is removed.
        public static let removing = "Removing the lock…"
        /// What is shown while the PIN is checked.
        public static let checking = "Checking the PIN…"

        /// How many wrong tries are left, as a sentence. Nil while there are more than five.
        static func triesLeft(_ count: Int) -> String? {
            switch count {
            case ...1: "After 1 more wrong try you must sign in to all accounts again."
            case ...5: "After \(count) more wrong tries you must sign in to all accounts again."
            default: nil
            }
        }
    }

    /// What the screen shows.
    public private(set) var state = State.locked(nil)
    /// The PIN. Empty again as soon as it was used.
    public var pin = "" { didSet { if !pin.isEmpty, case .locked(.some) = state { state = .locked(nil) } } }
    /// Whether the PIN unlocks.
    public let hasPIN: Bool
    /// Whether the system's authentication unlocks.
    public let hasSystemAuthentication: Bool
    /// How many wrong tries of the PIN are left, as a sentence. Nil while there are many.
    public private(set) var triesLeft: String?
    /// The error of the last try. Nil when there is none.
    public var error: ScreenError? { if case .locked(let error) = state { error } else { nil } }
    /// The question whether to remove the lock. Nil when it is not asked.
    public var question: Confirmation? {
        guard state == .forgetting else { return nil }
        return Confirmation(title: Text.forgetTitle, text: Text.forgetAdvice, action: Text.forget)
    }
    /// Whether ``unlock()`` does anything.
    public var canUnlock: Bool { if case .locked = state { hasPIN && !pin.isEmpty } else { false } }

    @ObservationIgnored private let lock: DeviceLock
    @ObservationIgnored private let authentication: SystemAuthentication
    @ObservationIgnored let work = ScreenTask()

    @ObservationIgnored private let onUnlocked: @MainActor () -> Void

    init(
        _ lock: DeviceLock, authentication: SystemAuthentication = SystemAuthentication(),
        onUnlocked: @escaping @MainActor () -> Void
    ) {
        self.lock = lock
        self.authentication = authentication
        self.onUnlocked = onUnlocked
        let methods = (try? lock.methods) ?? [.pin]
        hasPIN = methods.contains(.pin)
        hasSystemAuthentication = methods.contains(.system)
        updateTries()
    }

    /// Unlocks with the PIN.
    public func unlock() {
        guard canUnlock else { return }
        let secret = Secret(pin)
        pin = ""
        perform(.unlocking(.pin)) { lock, _ in try await lock.unlock(with: secret) }
    }

    /// Unlocks with the system's own authentication.
    public func unlockWithSystem() {
        guard hasSystemAuthentication, case .locked = state else { return }
        perform(.unlocking(.system)) { lock, authentication in try await lock.unlock(with: authentication) }
    }

    /// Asks whether to remove the lock.
    public func askToForget() {
        work.cancel()
        pin = ""
        state = .forgetting
    }

    /// Keeps the lock, or stops waiting for the system's authentication.
    public func cancel() {
        work.cancel()
        pin = ""
        state = .locked(nil)
    }

    /// Removes the lock. All accounts must sign in again.
    public func forget() {
        guard state == .forgetting else { return }
        perform(.removing) { lock, _ in try await lock.forget() }
    }

    private func perform(
        _ working: State, _ body: @escaping @Sendable (DeviceLock, SystemAuthentication) async throws -> Void
    ) {
        state = working
        work.start { [lock, authentication, weak self] isCurrent in
            let result: State
            do {
                try await body(lock, authentication)
                result = .unlocked
            } catch {
                result = .locked(ScreenError(error))
            }
            guard isCurrent() else { return }
            self?.updateTries()
            self?.state = result
            if result == .unlocked { self?.onUnlocked() }
        }
    }

    private func updateTries() { triesLeft = hasPIN ? (try? lock.tries?.left).flatMap(Text.triesLeft) : nil }
}
