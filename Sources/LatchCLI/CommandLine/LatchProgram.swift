import Arguments
import CommandLineTool
import LatchKit

/// The command line of `latch`, from which every command, its help and its completions are derived.
enum LatchProgram {
    /// The declaration of the command line.
    static let program = Program(root: root, version: LatchClient.version)

    /// The hidden command with which shells get the names of the accounts. It is in no help.
    static let namesWord = "_accounts"
    /// The hidden command with which shells get the usual request methods. Other methods are accepted too.
    static let methodsWord = "_methods"

    /// The hidden command with which the desktop passes a link.
    static let callbackWord = "callback"

    private static let root = Command<Request>(
        "latch", "Sign in to your own servers, and send requests to them.",
        discussion: """
            Start with 'latch login ADDRESS'. It stores the token in the Secret Service, or in a sealed file if there \
            is no Secret Service. Other commands use the token and renew it.

            Results are written to standard output, messages to standard error. With --json standard output is one \
            JSON value. A failure is {"error":{"code","message","exitCode"}}, with the same exit code as without \
            --json:

            \(ExitCode.help)

            Emphasis is used only on a terminal, and not if NO_COLOR is set.
            """,
        options: CommonOptions.all,
        commands: [
            Login.command, Register.command, ListAccounts.command, Use.command, WhoAmI.command, CallServer.command,
            ShowToken.command, DownloadFiles.command, Downloads.command, WatchEvents.command, Keys.command,
            ChangePIN.command, LockDevice.command, UnlockDevice.command, Logout.command, Doctor.command,
            ChangePassword.command, RemoteSessions.command,
            ChangeTrust.command, ChangeHeaders.command, Endpoints.command, ShowLogs.command, RegisterSchemes.command,
            ShowCompletions.command,
        ])
}

/// A parsed command line: the command, and the options that all commands take.
struct Request: Sendable {
    /// The options that all commands take.
    var common: CommonOptions
    /// The command with its own options.
    var work: any ExecutableCommand

    init(_ given: Invocation, _ work: any ExecutableCommand) {
        common = CommonOptions(given)
        self.work = work
    }
}

/// A command with its parsed options.
protocol ExecutableCommand: Sendable {
    /// Whether the command never asks the person, even at a terminal. Default: false.
    var isNonInteractive: Bool { get }
    /// Whether to finish first what a crash of an earlier run interrupted, which may send requests. Default: true.
    var finishesUnfinished: Bool { get }
    /// Runs the command. Returns the exit code when nothing was thrown.
    func perform(in context: CommandContext) async throws -> ExitCode
}

extension ExecutableCommand {
    var isNonInteractive: Bool { false }
    var finishesUnfinished: Bool { true }
}
