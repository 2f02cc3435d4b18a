import CLibrary
import FoundationEssentials

/// The current boot of this machine.
package enum SystemBoot {
    /// The boot ID, a UUID in text form. Where the system has none, a random value that no other program has.
    ///
    /// Source: `proc_sys_kernel(5)`, `random/boot_id`.
    package static let id: String = {
        let text = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
            .map { String(decoding: $0, as: UTF8.self) }
        return text.map { $0.filter { !$0.isWhitespace } } ?? UUID().uuidString
    }()

    /// The time since the boot, including the time during which the machine was suspended. Setting the clock does not
    /// change it.
    ///
    /// Source: clock_gettime(2), `CLOCK_BOOTTIME`.
    package static var uptime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
