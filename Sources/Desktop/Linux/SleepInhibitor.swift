import CLibrary

/// Prevents the machine from sleeping, or delays that for a moment.
///
/// The lock is a file descriptor whose other end logind holds. It is released by ``release()``, or when this process
/// ends for any reason. Without logind, or when logind refuses, the machine may sleep.
///
/// Source: systemd-logind, "Inhibitor Locks"; org.freedesktop.login1(5); DL-16, IM-15.
package actor SleepInhibitor {
    /// What the lock prevents.
    package enum Mode: String, Sendable {
        /// The machine does not sleep, for a reason that a person understands, such as a download.
        case block
        /// The machine sleeps some seconds later, so that a program can finish something. Source: logind.conf(5),
        /// `InhibitDelayMaxSec`.
        case delay

        fileprivate var what: String { self == .block ? "sleep:idle" : "sleep" }
    }

    private static let inhibit = BusMethod(
        service: "org.freedesktop.login1", path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager",
        name: "Inhibit")

    private let executor = BusExecutor("latchstring.sleep")
    private let address: BusAddress
    private let mode: Mode
    private var lock: Int32?
    private var pause: BusPause

    /// The actor's own executor, because calls to the bus block.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates an inhibitor without taking a lock.
    ///
    /// - Parameters:
    ///   - environment: The variables that locate the services of the system.
    ///   - mode: What the lock prevents.
    ///   - pause: How long ``hold(_:)`` has no effect after logind refused. Default: 30 seconds.
    package init(_ environment: [String: String], mode: Mode, pause: Duration = .seconds(30)) {
        address = .system(environment)
        self.mode = mode
        self.pause = BusPause(pause)
    }

    deinit {
        if let lock { close(lock) }
    }

    /// Whether the lock is held.
    package var isHeld: Bool { lock != nil }

    /// Takes the lock. Further calls have no effect, except that they try again after logind refused.
    ///
    /// - Parameter reason: The reason that the system shows to people.
    package func hold(_ reason: String) {
        guard lock == nil, pause.isOver else { return }
        // The file descriptor stays valid after the connection is closed.
        let answer = BusConnection(address)?.call(Self.inhibit) { message in
            for word in [mode.what, "Latchstring", reason, mode.rawValue] { message.append(word) }
        }
        lock = answer?.descriptor()
        if lock == nil { pause.begin() }
    }

    /// Releases the lock.
    package func release() {
        if let lock { close(lock) }
        lock = nil
    }
}
