public import LatchKit
public import Observation

/// The settings of the device's lock. A front end runs ``run()`` while the screen is shown.
///
/// Source: IM-15; docs/lock.md.
@MainActor @Observable
public final class LockSettingsScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The settings. The error is that of the last command.
        case editing(ScreenError?)
        /// A command is running.
        case working
    }

    /// A time without use, after which the device is locked.
    public struct IdleTime: Sendable, Equatable {
        /// The time in seconds.
        public let seconds: Int
        /// The time as text, such as "5 minutes".
        public var title: String {
            let (number, unit) =
                switch seconds {
                case _ where seconds.isMultiple(of: 3600): (seconds / 3600, "hour")
                case _ where seconds.isMultiple(of: 60): (seconds / 60, "minute")
                default: (seconds, "second")
                }
            return "\(number) \(unit)\(number == 1 ? "" : "s")"
        }
    }

    /// A field that the person edits.
    public enum Field: Sendable {
        /// The current PIN.
        case current
        /// The new PIN.
        case new
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "App lock"
        /// What the lock does.
        public static let advice =
            "While Latchstring is locked, the secrets of all accounts are encrypted. Sessions stay signed in. The command "
            + "line is locked too."
        /// What is shown when the person wants to lock the app, and there is no lock.
        public static let missing = "There is no app lock yet. Set a PIN first."
        /// The name of the field for the current PIN.
        public static let current = PINText.current
        /// The name of the field for the new PIN.
        public static let new = "New PIN (six digits or more)"
        /// The name of the field for the repeated new PIN.
        public static let again = PINText.again
        /// The button that sets a PIN where there is none.
        public static let set = PINText.set
        /// The button that replaces the PIN.
        public static let change = PINText.change
        /// The button that removes the lock.
        public static let remove = "Remove the lock"
        /// The button that lets the system's authentication unlock.
        public static let useSystem = "Unlock with the password of this computer"
        /// The button that locks at once.
        public static let lockNow = "Lock now"
        /// The choice of the time without use after which the app is locked.
        public static let idle = "Lock after"
        /// The choice whether downloads continue while the app is locked.
        public static let continuesDownloads = "Continue downloads while locked"
        /// The error when the two new PINs differ.
        public static let differ = PINText.differ
    }

    /// What the screen shows.
    public private(set) var state = State.editing(nil)
    /// What unlocks the device. Empty when there is no lock.
    public private(set) var methods: Set<DeviceLock.Method> = []
    /// The settings. Nil when there is no lock.
    public private(set) var settings: DeviceLock.Settings?
    /// The current PIN. Empty again as soon as it was used.
    public var current = "" { didSet { if !current.isEmpty { clearError() } } }
    /// The new PIN. Empty again as soon as it was used.
    public var new = "" { didSet { if !new.isEmpty { clearError() } } }
    /// The new PIN once more.
    public var again = "" { didSet { if !again.isEmpty { clearError() } } }
    /// The times without use that a person can choose, and the current one.
    public var idleTimes: [IdleTime] {
        Set([60, 300, 900, 3600] + (settings.map { [$0.idleSeconds] } ?? [])).sorted().map { IdleTime(seconds: $0) }
    }
    /// The error of the last command. Nil when there is none.
    public var error: ScreenError? { if case .editing(let error) = state { error } else { nil } }
    /// The field to correct after an error. Nil when there is none.
    public var errorField: Field? {
        switch error?.code {
        case LatchError.Code.weakPassword?: .new
        case .wrongPIN?, .pinRequired?: .current
        default: nil
        }
    }
    /// Whether the device has a lock.
    public var hasLock: Bool { settings != nil }
    /// Whether the PIN unlocks.
    public var hasPIN: Bool { methods.contains(.pin) }

    @ObservationIgnored private let lock: DeviceLock
    @ObservationIgnored private let authentication: SystemAuthentication
    @ObservationIgnored let work = ScreenTask()

    init(_ lock: DeviceLock, authentication: SystemAuthentication = SystemAuthentication()) {
        self.lock = lock
        self.authentication = authentication
        read()
    }

    /// Follows the settings, which other programs may change, until the task is cancelled.
    public func run() async {
        for await _ in lock.changes {
            if Task.isCancelled { return }
            read()
        }
    }

    /// Sets the new PIN, or replaces the current one.
    public func savePIN() {
        guard state != .working, !new.isEmpty, !again.isEmpty else { return }
        let (old, secret, repeated) = (Secret(current), Secret(new), Secret(again))
        clearFields()
        guard secret == repeated else {
            state = .editing(ScreenError(.weakPassword, Text.differ))
            return
        }
        do { try DeviceLock.check(secret) } catch {
            state = .editing(ScreenError(error))
            return
        }
        let (hasLock, hasPIN) = (hasLock, hasPIN)
        perform { lock, authentication in
            if hasPIN {
                try await lock.change(from: old, to: secret)
            } else if hasLock {
                try await lock.addPIN(secret, with: authentication)
            } else {
                try await lock.set(secret)
            }
        }
    }

    /// Lets the system's authentication unlock, besides the PIN if there is one.
    public func useSystem() {
        guard state != .working, !methods.contains(.system) else { return }
        let (pin, hasPIN) = (Secret(current), hasPIN)
        clearFields()
        perform { lock, authentication in
            try await lock.requireProtectedStore()
            if hasPIN {
                try await lock.addSystemAuthentication(authentication, with: pin)
            } else {
                try await lock.set(authentication)
            }
        }
    }

    /// Removes the lock, with the current PIN or the system's authentication.
    public func remove() {
        guard state != .working, hasLock else { return }
        let (pin, usesSystem) = (Secret(current), current.isEmpty && methods.contains(.system))
        clearFields()
        perform { lock, authentication in
            if usesSystem {
                try await lock.remove(with: authentication)
            } else {
                try await lock.remove(with: pin)
            }
        }
    }

    /// Changes the time without use after which the device is locked.
    ///
    /// - Parameter idleSeconds: 10 to 86,400.
    public func change(idleSeconds: Int) { changeSettings { $0.idleSeconds = min(max(idleSeconds, 10), 86_400) } }

    /// Changes whether downloads continue while the device is locked.
    public func change(continuesDownloads: Bool) { changeSettings { $0.continuesDownloads = continuesDownloads } }

    /// Locks the device at once.
    public func lockNow() {
        do { try lock.lock() } catch { state = .editing(ScreenError(error)) }
    }

    /// Stops waiting for the system's authentication, and clears the fields.
    public func cancel() {
        work.cancel()
        clearFields()
        state = .editing(nil)
    }

    private func changeSettings(_ change: (inout DeviceLock.Settings) -> Void) {
        guard state != .working, var settings else { return }
        change(&settings)
        guard settings != self.settings else { return }
        perform { [settings] lock, _ in try await lock.changeSettings(settings) }
    }

    private func perform(
        _ command: @escaping @Sendable (DeviceLock, SystemAuthentication) async throws -> Void
    ) {
        state = .working
        work.start { [lock, authentication, weak self] isCurrent in
            var failure: ScreenError?
            do { try await command(lock, authentication) } catch { failure = ScreenError(error) }
            guard isCurrent(), let self else { return }
            self.read()
            self.state = .editing(failure)
        }
    }

    private func read() {
        do {
            let new = (try lock.methods, try lock.settings)
            if (methods, settings) != new { (methods, settings) = new }
        } catch {
            state = .editing(ScreenError(error))
        }
    }

    private func clearFields() { (current, new, again) = ("", "", "") }

    private func clearError() {
        if case .editing(.some) = state { state = .editing(nil) }
    }
}
