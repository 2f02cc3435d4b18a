import Arguments
import LatchKit
import Terminal

/// `latch password`: changes the password at the account's server.
struct ChangePassword: ExecutableCommand {
    private static let fromInput = Flag(
        "password-stdin",
        help: "Read the current password and then the new one from two lines of standard input, and do not prompt.")

    static let command = Command<Request>(
        "password", "Change your password on the server.",
        discussion: """
            Asks for the current password, and twice for the new one, without echo. A password is never an argument. \
            You stay signed in on this device. If the server requires a new password before anything else, only the \
            new one is needed: one line is then enough for --password-stdin.
            """,
        arguments: [AccountOption.argument, AccountOption.option, fromInput]
    ) { given throws(ArgumentError) in
        Request(given, ChangePassword(selector: try AccountOption.selector(given), readsInput: given[fromInput]))
    }

    private let selector: String?
    private let readsInput: Bool

    var isNonInteractive: Bool { readsInput }

    func perform(in context: CommandContext) async throws -> ExitCode {
        var (account, session) = try await context.session(selector)
        try await context.client().requirePasswordChange(of: account)
        if account.mustChangePassword {
            // The password may have been changed elsewhere; then the current one is needed.
            _ = try await session.identity()
            account = try await context.client().accounts.account(account.id) ?? account
        }
        let question = NewPassword(account: account, context: context)
        try await question.change(to: readsInput ? try await fromInput(account) : try await question.ask())
        let now = try await context.client().accounts.account(account.id) ?? account
        try context.console.result(
            ["The password of \(account.userEmail) at \(account.serverURL) was changed."],
            json: ["account": AccountText.json(now)])
        return .done
    }

    /// Reads the current password and the new one. When the server requires the change, the new one alone is enough.
    private func fromInput(_ account: Account) async throws -> PasswordChange {
        let lines = try await StandardInput.lines(upTo: 2)
        guard lines.count == 2 || account.mustChangePassword, let new = lines.last else {
            throw LatchError(
                .invalidInput, "Standard input must have two lines: the current password, then the new one.")
        }
        return PasswordChange(
            current: lines.count == 2 ? lines[0] : nil, new: new, isForced: account.mustChangePassword)
    }
}
