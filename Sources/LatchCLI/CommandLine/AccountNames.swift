import LatchKit

/// The words that shell completion offers for accounts: the shortest unambiguous ones.
struct AccountNames {
    let environment: [String: String]

    /// Prints one word per line. Shell completion must not show errors, so a failure prints nothing.
    func printAll() async -> Int32 {
        let context = CommandContext(
            CommonOptions(), isNonInteractive: true, finishesUnfinished: false, environment: environment)
        if let accounts = try? await context.client().accounts.accounts() {
            try? context.console.printLines(Self.completions(for: accounts))
        }
        await context.close()
        return ExitCode.done.rawValue
    }

    static func completions(for accounts: [Account]) -> [String] {
        accounts.flatMap { account in
            let isOnly = accounts.count { $0.userEmail == account.userEmail } == 1
            let isAlone = accounts.count { $0.serverURL.authority == account.serverURL.authority } == 1
            return [isOnly ? account.userEmail : "\(account.userEmail)@\(account.serverURL.withoutScheme)"]
                + (isAlone ? [account.serverURL.authority] : [])
        }
    }
}
