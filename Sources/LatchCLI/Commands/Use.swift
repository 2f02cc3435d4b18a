import Arguments
import LatchKit

/// `latch use`: chooses the account that other commands work with.
struct Use: ExecutableCommand {
    static let command = Command<Request>(
        "use", "Select the account that other commands work with.",
        arguments: [AccountOption.argument, AccountOption.option]
    ) { given throws(ArgumentError) in
        guard let selector = try AccountOption.selector(given) else { throw given.usageError("ACCOUNT is missing") }
        return Request(given, Use(selector: selector))
    }

    private let selector: String

    func perform(in context: CommandContext) async throws -> ExitCode {
        let accounts = try await context.client().accounts
        let chosen = try await context.account(selector)
        try await accounts.setActiveAccount(chosen.id)
        let account = try await accounts.account(chosen.id) ?? chosen
        try context.console.result(
            ["\(account.userEmail) at \(account.serverURL) is the active account."],
            json: ["account": AccountText.json(account)])
        return .done
    }
}
