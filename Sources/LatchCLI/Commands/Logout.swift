import Arguments
import FoundationEssentials
import HTTPMessages
import LatchDownloads
import LatchKit
import Primitives
import Terminal

/// `latch logout`: ends sessions on the server and removes them from this device.
struct Logout: ExecutableCommand {
    private static let all = Flag("all", help: "Sign out of every account.")
    private static let drop = Flag(
        "drop-downloads", help: "Drop pending downloads of the account without asking.")

    static let command = Command<Request>(
        "logout", "Sign out: end the session and remove the account.",
        discussion: """
            The token is always removed from this device, even if the server cannot be reached. In that case a \
            warning says how long the session stays valid on the server, and where to end it.

            Pending downloads are dropped with the account. Downloaded files are kept. At a terminal you are asked \
            first.
            """,
        arguments: [AccountOption.argument, AccountOption.option, all, drop]
    ) { given throws(ArgumentError) in
        let selector = try AccountOption.selector(given)
        if given[all], selector != nil { throw given.usageError("give either ACCOUNT or --all") }
        return Request(given, Logout(selector: selector, isAll: given[all], dropsDownloads: given[drop]))
    }

    private let selector: String?
    private let isAll: Bool
    private let dropsDownloads: Bool

    func perform(in context: CommandContext) async throws -> ExitCode {
        let kit = try await context.client()
        if let selector, (try? await kit.accounts.account(matching: selector)) == nil,
            let account = try await context.unreadableAccount(selector)
        {
            return try await remove(account, of: kit, context)
        }
        let leaving = isAll ? try await kit.accounts.accounts() : [try await context.account(selector)]
        if !dropsDownloads, try await !mayDropDownloads(of: leaving, kit, context) {
            context.console.printMessage("You were not signed out. To download the files first: latch download")
            try context.console.result([], json: ["signedOut": [], "kept": []])
            return .failed
        }
        if leaving.contains(where: \.isSignedIn) { try await context.openSecrets() }
        var (signedOut, failed): ([JSONValue], [JSONValue]) = ([], [])
        var exitCode = ExitCode.done
        func recordExitCode(_ error: LatchError) {
            let code = ExitCode(for: error.code)
            if code.rawValue > exitCode.rawValue { exitCode = code }
        }
        for account in leaving {
            try Task.checkCancellation()
            let signOut: SignOutOutcome
            do {
                signOut = try await kit.signOutDroppingDownloads(account)
            } catch {
                let error = LatchError(describing: error)
                recordExitCode(error)
                failed.append(Self.json(account, .failure(error)))
                if !context.console.isJSON { context.console.fail(error, hint: nil) }
                continue
            }
            let outcome = signOut.report.mapError { LatchError(describing: $0) }
            if case .failure(let error) = outcome { recordExitCode(error) }
            signedOut.append(Self.json(account, outcome))
            if let leftOver = signOut.leftOver {
                let error = LatchError(describing: leftOver)
                recordExitCode(error)
                context.console.warn(
                    "Incomplete files of \(account.userEmail) may be left over. \(error.messageWithCommand)")
            }
            try context.console.printLines(["Signed out of \(account.serverURL) as \(account.userEmail)."])
            if !context.console.isJSON { report(outcome, of: account, context) }
        }
        if isAll, leaving.isEmpty, !context.console.isJSON {
            context.console.printMessage("You are not signed in to any server.")
        }
        try context.console.result([], json: ["signedOut": .array(signedOut), "kept": .array(failed)])
        return exitCode
    }

    private func report(_ outcome: Result<SignOutReport, LatchError>, of account: Account, _ context: CommandContext) {
        switch outcome {
        case .failure(let error): context.console.warn(error.messageWithCommand)
        case .success(let report):
            guard let failure = report.failure else { return }
            context.console.warn("The session was not ended on the server. \(failure.message)")
            // A key does not expire.
            if account.apiKeyID != nil {
                context.console.printMessage(
                    "Its key stays valid until it is revoked: sign in there again, or revoke it on the server's pages.")
            } else if !report.isRevoked {
                let time = report.tokenExpires.map { "until \($0.forPeople)" } ?? "until it expires"
                context.console.printMessage(
                    "The session stays valid on the server \(time), unless you end it on the server's account page, or "
                        + "its operator ends it (with latchd: 'latchd sessions revoke').")
            }
        }
    }

    /// Asks whether to drop the waiting files of accounts, which a sign-out removes from the queue. Returns true
    /// without asking when there are none.
    private func mayDropDownloads(of leaving: [Account], _ kit: LatchClient, _ context: CommandContext) async throws
        -> Bool
    {
        let waiting = try await kit.waitingDownloads(of: leaving.map(\.id))
        guard !waiting.isEmpty else { return true }
        let pending = leaving.compactMap { account in
            waiting[account.id].map { count in
                "\(count == 1 ? "1 file" : "\(count) files") of \(account.userEmail) at \(account.serverURL)"
            }
        }.joined(separator: ", ")
        let sentence = "Signing out drops these pending downloads: \(pending)."
        guard context.prompter.isAvailable else {
            throw LatchError(
                .noTerminal, "\(sentence) Download them first with 'latch download', or give --drop-downloads.")
        }
        return try await context.prompter.confirm("\(sentence) Sign out?")
    }

    /// Removes an account with an invalid address, for which there is no server to notify.
    private func remove(_ account: UnreadableAccount, of kit: LatchClient, _ context: CommandContext) async throws
        -> ExitCode
    {
        try await context.openSecrets()
        try await kit.accounts.removeAccount(account.id)
        try context.console.printLines(["Removed the account of \(account.userEmail.printable)."])
        try context.console.result([], json: ["signedOut": [], "kept": []])
        return .done
    }

    private static func json(_ account: Account, _ outcome: Result<SignOutReport, LatchError>) -> JSONValue {
        let (report, problem) =
            switch outcome {
            case .success(let report): (Optional(report), report.failure)
            case .failure(let error): (nil, Optional(error))
            }
        return .object([
            .init("id", .string(account.id.uuidString.lowercased())),
            .init("serverUrl", .string(account.serverURL.url)),
            .init("userEmail", .string(account.userEmail)), .init("isRevoked", .bool(report?.isRevoked ?? false)),
            .init("isTokenRemoved", .bool(report != nil)), .init("problem", problem.map { Console.json($0) } ?? .null),
        ])
    }
}
