import LatchKit

/// What a command line asks for.
enum CommandLineArguments: Equatable {
    /// The window, with the arguments for GLib.
    case window
    /// A text on standard output.
    case print(String)
    /// A sentence on standard error, and the exit code 64.
    case invalid(String)

    /// Reads a command line without the name of the program.
    init(_ arguments: [String]) {
        switch arguments.first {
        case "--version": self = .print("latch-desktop \(LatchClient.version)")
        case "--help", "-h": self = .print(Self.help)
        case let option? where option.hasPrefix("-") && option != Self.service:
            self = .invalid("'\(option)' is not an option of latch-desktop. Run 'latch-desktop --help'.")
        case _ where arguments.count > 1:
            self = .invalid("latch-desktop takes one link at most. Run 'latch-desktop --help'.")
        default: self = .window
        }
    }

    /// The option with which D-Bus starts the program.
    private static let service = "--gapplication-service"

    private static let help = """
        Usage: latch-desktop [LINK]

        Opens the window of Latchstring, or shows the one that is open.

        With a LINK, such as onyx://auth/callback?…, it completes the sign-in that waits for this link.
        The desktop passes links by itself.

        Options:
          --help     Shows this help.
          --version  Shows the version.

        Exit codes:
           0  The window was closed.
          64  The command line is invalid.
          69  There is no display for the window.
        """
}
