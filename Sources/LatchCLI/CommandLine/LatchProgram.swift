import Arguments
import LatchKit

/// The command line of `latch`: every command, its help and its completions come from here.
enum LatchProgram {
    /// The declaration.
    static let program = Program(root: root, version: LatchClient.version)

    /// A word that is no command and in no help: shells ask with it for the accounts' names.
    static let namesWord = "_accounts"
    /// The same for methods, of which the usual are offered and any is taken.
    static let methodsWord = "_methods"

    /// The same for the desktop, which brings a link with it.
    static let callbackWord = "callback"

    private static let root = Command<Request>(
        "latch", "Sign in to your own servers, and call them.",
        discussion: """
            Begin with 'latch login ADDRESS'. The token goes to the Secret Service, or to a sealed file where there is \
            none; other commands use it and renew it.

            Results go to standard output, messages to standard error. With --json standard output is one JSON value; a \
            failure is {"error":{"code","message","exitCode"}}, with the same exit code as without:

            \(ExitCode.help)

            Emphasis is used on a terminal only, and never when NO_COLOR is set.
            """,
        options: CommonOptions.all,
        commands: [
            Login.command, Register.command, ListAccounts.command, Use.command, WhoAmI.command, CallServer.command,
            ShowToken.command, DownloadFiles.command, Downloads.command, Keys.command, ChangePIN.command,
            Logout.command, Doctor.command, ChangePassword.command, RemoteSessions.command,
            ChangeTrust.command, ChangeHeaders.command, ShowLogs.command, RegisterSchemes.command,
            ShowCompletions.command,
        ])
}

/// One command line, understood: what to do, and the options that all commands take.
struct Request: Sendable {
    /// The options that all commands take.
    var common: CommonOptions
    /// What to do.
    var work: any ExecutableCommand

    init(_ given: Invocation, _ work: any ExecutableCommand) {
        common = CommonOptions(given)
        self.work = work
    }
}

/// A command with its options read.
protocol ExecutableCommand: Sendable {
    /// Whether it asks nothing, also at a terminal.
    var asksNobody: Bool { get }
    /// Whether what a crash of an earlier run interrupted is finished first. This may ask servers.
    var finishesUnfinished: Bool { get }
    /// Does it, and says what the program ends with when nothing was thrown.
    func perform(in context: CommandContext) async throws -> ExitCode
}

extension ExecutableCommand {
    var asksNobody: Bool { false }
    var finishesUnfinished: Bool { true }
}
