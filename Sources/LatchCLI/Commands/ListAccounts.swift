import Arguments
import FoundationEssentials
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// `latch accounts`: lists the accounts on this device.
struct ListAccounts: ExecutableCommand {
    static let command = Command<Request>(
        "accounts", "List the accounts on this device.",
        discussion: """
            No server is contacted. A star marks the active account, which other commands use by default.

            An account keeps its number until it is removed, and no other account gets that number. In a script, name \
            an account by its id or the beginning of its id.
            """
    ) { given in
        Request(given, ListAccounts())
    }

    var finishesUnfinished: Bool { false }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let store = try await context.client().accounts
        let accounts = try await store.accounts()
        let unreadable = try await store.unreadableAccounts()
        let secrets = try await context.secrets()
        try context.console.result(
            Self.lines(accounts, context.console.output),
            json: [
                "accounts": .array(accounts.map(AccountText.json)), "secrets": SecretsText.json(secrets),
                "unreadable": .array(unreadable.map(Self.json)),
            ])
        for account in unreadable { context.console.warn(Self.warning(account)) }
        if accounts.isEmpty, unreadable.isEmpty, !context.console.isJSON {
            context.console.printMessage("You are not signed in to any server. Sign in: latch login ADDRESS")
        }
        return .done
    }

    private static func json(_ account: UnreadableAccount) -> JSONValue {
        .object([
            .init("id", .string(account.id.uuidString.lowercased())), .init("serverUrl", .string(account.address)),
            .init("userEmail", .string(account.userEmail)),
        ])
    }

    private static func warning(_ account: UnreadableAccount) -> String {
        let id = account.id.uuidString.lowercased().prefix(8)
        return "The account of \(account.userEmail.printable) cannot be used because its address "
            + "'\(account.address.printable)' is invalid. To remove it: latch logout \(id)"
    }

    private static func lines(_ accounts: [Account], _ style: Style) -> [String] {
        guard !accounts.isEmpty else { return [] }
        var table = Table(["  #", "E-MAIL", "SERVER", "SESSION", "LAST ACTIVE", "ID"])
        for account in accounts {
            table.add([
                "\(account.isActive ? "*" : " ") \(account.number)", account.userEmail.printable, account.serverURL.url,
                AccountText.standing(account), account.lastUsedAt.forPeople, AccountText.shortID(account),
            ])
        }
        return table.lines(heading: style.strong)
    }
}
