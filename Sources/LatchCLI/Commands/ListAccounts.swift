import Arguments
import LatchKit
import Terminal

/// `latch accounts`: who is signed in where.
struct ListAccounts: Performing {
    static let command = Command<Request>(
        "accounts", "List the accounts on this device.",
        discussion: "No server is asked. The star marks the active account, which other commands work with."
    ) { given in
        Request(given, ListAccounts())
    }

    func perform(in run: Run) async throws -> ExitCode {
        let accounts = try await run.latchstring().accounts.accounts()
        let secrets = try await run.secrets()
        try run.console.result(
            Self.lines(accounts, run.console.output),
            json: ["accounts": .array(accounts.map(AccountText.json)), "secrets": SecretsText.json(secrets)])
        if accounts.isEmpty, !run.console.isJSON {
            run.console.note("Nobody is signed in here. Sign in: latch login ADDRESS")
        }
        return .done
    }

    private static func lines(_ accounts: [Account], _ style: Style) -> [String] {
        guard !accounts.isEmpty else { return [] }
        var table = Table(["  #", "E-MAIL", "SERVER", "SESSION", "LAST ACTIVE", "ID"])
        for (index, account) in accounts.enumerated() {
            table.add([
                "\(account.isActive ? "*" : " ") \(index + 1)", account.userEmail.printable, account.serverURL.url,
                AccountText.standing(account), account.lastUsedAt.forPeople, AccountText.shortID(account),
            ])
        }
        return table.lines(heading: style.strong)
    }
}
