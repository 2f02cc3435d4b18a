import Glibc
import LatchDesktop

/// The program `latch-desktop`.
@main
@MainActor
enum Program {
    // Synchronous, as the main loop requires.
    static func main() { exit(DesktopApplication.run(CommandLine.arguments)) }
}
