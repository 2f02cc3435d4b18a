import Arguments
import LatchKit

/// `latch use`: which account other commands work with.
struct Use: Performing {
    private static let account = Argument<String>(
        "ACCOUNT", completion: AccountOption.completion, help: "Its number, e-mail, server or the beginning of its id.")

    static let command = Command<Request>(
        "use", "Choose the account that other commands work with.", arguments: [account]
    ) { given in
        Request(given, Use(selector: given[account]))
    }

    private let selector: String

    func perform(in run: Run) async throws -> ExitCode {
        let accounts = try await run.latchstring().accounts
        let chosen = try await run.account(selector)
        try await accounts.setActiveAccount(chosen.id)
        let account = try await accounts.account(chosen.id) ?? chosen
        try run.console.result(
            ["\(account.userEmail) at \(account.serverURL) is the active account."],
            json: ["account": AccountText.json(account)])
        return .done
    }
}
