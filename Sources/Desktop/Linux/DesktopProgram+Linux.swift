import FoundationEssentials

extension DesktopProgram {
    /// The program that opens an address in the person's browser.
    package static let opener = "xdg-open"

    /// The path of this process's own program. Nil when it is unknown.
    ///
    /// Source: proc(5), `/proc/self/exe`.
    package static var ownPath: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    /// The flag of `posix_spawn` for a session of its own. glibc hides its name without _GNU_SOURCE.
    ///
    /// Source: `spawn.h`.
    static let newSession = Int16(0x80)
}
