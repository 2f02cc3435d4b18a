import Desktop
import Primitives

/// A moment of one boot of the machine. Setting the clock does not change it.
struct BootTime: Sendable, Equatable {
    /// The id of the boot.
    var boot: String
    /// The time since the boot, including suspended time.
    var uptime: Duration

    /// Returns the current moment.
    @Sendable static func now() -> BootTime { BootTime(boot: SystemBoot.id, uptime: SystemBoot.uptime) }
}

/// Counts wrong tries to enter the PIN, and decides whether another try is allowed now.
///
/// A try is counted as wrong before it is checked, so that a program that is killed during the check cannot try more
/// often. The pauses grow. They are measured with the time since the boot: setting the clock has no effect, and after a
/// restart of the machine the whole pause begins again.
///
/// Source: NIST SP 800-63B §5.2.2.
struct LockTryStateMachine: Sendable, Equatable, Codable {
    /// The decision about a try.
    enum Action: Equatable {
        /// The PIN may be checked, after the machine is stored.
        case check
        /// The next try is allowed after this time.
        case wait(Duration)
        /// All tries are used up.
        case forget
    }

    /// After this many wrong tries the key of the lock is deleted.
    static let limit = 10
    /// The pauses after the third and each further wrong try, in seconds.
    private static let pauses = [15, 30, 60, 120, 300, 900, 1800]

    private(set) var failures = 0
    private var boot = ""
    private var milliseconds = 0

    /// The number of tries that are left.
    var left: Int { max(0, Self.limit - failures) }

    /// Whether a stored machine can have been stored by this program.
    var isValid: Bool { (0...Self.limit).contains(failures) && milliseconds >= 0 }

    /// Begins a try, and counts it as wrong if it is allowed.
    mutating func begin(at now: BootTime) -> Action {
        guard left > 0 else { return .forget }
        let pause = pause(at: now)
        guard pause == .zero else { return .wait(pause) }
        failures += 1
        boot = now.boot
        milliseconds = now.uptime.wholeMilliseconds
        return .check
    }

    /// Records that the PIN of the last try was right.
    mutating func succeeded() { self = LockTryStateMachine() }

    /// Returns how long the next try must wait.
    func pause(at now: BootTime) -> Duration {
        guard failures >= 3 else { return .zero }
        let pause = Duration.seconds(Self.pauses[min(failures - 3, Self.pauses.count - 1)])
        let elapsed = boot == now.boot ? now.uptime - .milliseconds(milliseconds) : now.uptime
        return max(.zero, pause - max(.zero, elapsed))
    }
}
