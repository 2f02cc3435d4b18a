internal import Glibc

/// Keeps the machine awake while something large is under way.
///
/// The lock is a file that logind has open at its other end: it is gone with ``release()``, and with this program however
/// that ends. Where there is no logind, or it refuses, the machine sleeps when it likes.
///
/// Source: systemd-logind, "Inhibitor Locks"; org.freedesktop.login1(5); DL-16.
public actor SleepInhibitor {
    private static let inhibit = BusMethod(
        service: "org.freedesktop.login1", path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager",
        name: "Inhibit")

    private let executor = BusExecutor("latchstring.sleep")
    private let address: BusAddress
    private var lock: Int32?
    private var pause = BusPause()

    /// Its own thread: the bus may let it wait.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes one that holds nothing yet.
    ///
    /// - Parameter bus: The machine's bus.
    public init(_ bus: BusAddress) { address = bus }

    deinit {
        if let lock { close(lock) }
    }

    /// Whether the machine is kept awake.
    public var isHeld: Bool { lock != nil }

    /// Keeps the machine awake from now on; a second call changes nothing.
    ///
    /// - Parameter reason: What people read who ask what keeps their machine awake.
    public func hold(_ reason: String) {
        guard lock == nil, pause.isOver else { return }
        // The file outlives the connection that it came by.
        let answer = BusConnection(address)?.call(Self.inhibit) { message in
            // `block`, not `delay`: five seconds are of no use to a large file.
            for word in ["sleep:idle", "Latchstring", reason, "block"] { message.append(word) }
        }
        lock = answer?.descriptor()
        if lock == nil { pause.begin() }
    }

    /// Lets the machine sleep again.
    public func release() {
        if let lock { close(lock) }
        lock = nil
    }
}
