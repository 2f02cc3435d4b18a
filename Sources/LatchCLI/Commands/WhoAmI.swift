import Arguments
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// `latch whoami`: shows who is signed in, according to the server.
struct WhoAmI: ExecutableCommand {
    static let command = Command<Request>(
        "whoami", "Ask the server who is signed in.",
        discussion: """
            If the server cannot be reached, or something else responds in its place, the session is kept: the stored \
            information is shown, a warning says why it was not checked, and the exit code is 0. Only the server \
            itself can end a session. The exit code is then \(ExitCode.signIn.rawValue).
            """,
        arguments: [AccountOption.option]
    ) { given in
        Request(given, WhoAmI(selector: given[AccountOption.option]))
    }

    private let selector: String?

    func perform(in context: CommandContext) async throws -> ExitCode {
        var (account, session) = try await context.session(selector)
        var identity: Identity?
        var problem: LatchError?
        do {
            identity = try await session.identity()
            account = try await context.client().accounts.account(account.id) ?? account
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            problem = error
        }
        let client = try await context.client()
        // Only for display, so a failure is not reported.
        let sync =
            problem == nil
            ? try? await client.completeFirstSync(of: account) : try? await client.firstSync(of: account)
        let secrets = try await context.secrets()
        try context.console.result(
            Self.lines(
                for: account, identity: identity, problem: problem, sync: sync, secrets: secrets,
                style: context.console.output),
            json: Self.json(for: account, identity: identity, problem: problem, sync: sync, secrets: secrets))
        if let problem, !context.console.isJSON {
            context.console.warn("Not checked with the server. \(problem.message)")
            if let hint = context.hint(for: problem) { context.console.printMessage(hint) }
        }
        return .done
    }

    private static func lines(
        for account: Account, identity: Identity?, problem: LatchError?, sync: FirstSync?,
        secrets: DeviceSecrets, style: Style
    ) -> [String] {
        let email = (identity?.email ?? account.userEmail).printable
        let name = (identity?.name ?? account.displayName).printable
        let session =
            problem == nil
            ? style.good("checked with the server now") : style.warning("not checked now; the name may be outdated")
        return [
            style.strong(email) + (name == email || name.isEmpty ? "" : " (\(name))"),
            "  Server   \(account.serverURL)",
            "  Session  \(session)",
            "  Account  \(account.number), id \(AccountText.shortID(account))\(account.isActive ? ", active" : "")",
            "  Secrets  \(secrets.label)",
        ] + library(sync)
    }

    private static func library(_ sync: FirstSync?) -> [String] {
        guard let sync, let date = sync.date, let counts = FirstSyncText.counts(sync) else { return [] }
        return ["  Library  \(counts) (\(date.forPeople))"]
    }

    private static func json(
        for account: Account, identity: Identity?, problem: LatchError?, sync: FirstSync?,
        secrets: DeviceSecrets
    ) -> JSONValue {
        let who: JSONValue =
            identity.map { identity in
                .object([
                    .init("id", .string(identity.id)), .init("email", .string(identity.email)),
                    .init("name", identity.name.map { .string($0) } ?? .null),
                    .init("scopes", .array(identity.scopes.map { .string($0) })),
                ])
            } ?? .null
        var members: [JSONValue.Member] = [
            .init("account", AccountText.json(account)), .init("verified", .bool(identity != nil)),
            .init("identity", who), .init("secrets", SecretsText.json(secrets)),
            .init("firstSync", sync.map(FirstSyncText.json) ?? .null),
        ]
        if let problem { members.append(.init("problem", Console.json(problem))) }
        return .object(members)
    }
}
