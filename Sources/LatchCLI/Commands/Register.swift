import Arguments
import Crypto
import LatchKit
import Primitives
import Terminal

/// `latch register`: creates an account on a server and signs in to it.
struct Register: ExecutableCommand {
    private static let address = Argument<String>(
        "ADDRESS", help: "The server, such as onyx.example.org, or onyx-cloud.")
    private static let email = Option<String>(
        "email", short: "e", value: "EMAIL",
        help: "The e-mail address of the new account. Default: the answer to a prompt.")
    private static let passwordFromInput = Flag(
        "password-stdin", help: "Read the password from the first line of standard input, and do not prompt.")

    static let command = Command<Request>(
        "register", "Create an account on a server, and sign in to it.",
        discussion: """
            Shows the server's password rule, then asks twice for the password, without echo. Not every server allows \
            registration, and some require you to confirm the e-mail address with a link that they send to it.
            """,
        arguments: [address, email, passwordFromInput] + ConnectionArguments.all
    ) { given throws(ArgumentError) in
        if given[passwordFromInput], given[email] == nil { throw given.usageError("--password-stdin needs --email") }
        return Request(
            given,
            Register(
                address: given[address], email: given[email], readsPassword: given[passwordFromInput],
                connection: try ConnectionArguments(given)))
    }

    private let address: String
    private let email: String?
    private let readsPassword: Bool
    private let connection: ConnectionArguments

    var isNonInteractive: Bool { readsPassword }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let address = try ServerAddress(addressOrName: address)
        let given = try email.map { try EmailAddress(typed: $0) }
        let options = try await connection.options(for: address, context.prompter)
        let server = try await ServerSearch(context: context, prompter: context.prompter).find(address, options)
        guard server.capabilities.contains(.registration), server.features.signsInWithPassword else {
            throw LatchError(
                .registrationRefused,
                "Not registered: \(address) does not offer registration. Ask its operator for an account.")
        }
        let store = try await context.openSecretsForSignIn()
        if !context.console.isJSON { report(server.features, context) }
        let email = if let given { given } else { try await askEmail(context) }
        let password = try await password(for: email, at: server, context)
        let account = try await context.client().register(
            PasswordSignIn(email: email.text, password: password), at: server)
        if !context.console.isJSON {
            context.console.printMessage(store.explanation)
            if server.features.requiresVerification {
                context.console.printMessage(
                    "\(address) requires a confirmed e-mail address: follow the link that it sends to \(email). Until "
                        + "then it refuses most requests.")
            }
        }
        let secrets = try await context.secrets()
        try context.console.result(
            ["Registered at \(account.serverURL) and signed in as \(account.userEmail)."],
            json: [
                "account": AccountText.json(account), "secrets": SecretsText.json(secrets),
                "explanation": .string(store.explanation),
                "requiresVerification": .bool(server.features.requiresVerification),
            ])
        return .done
    }

    /// Prints what the person should know before choosing a password.
    private func report(_ features: ServerFeatures, _ context: CommandContext) {
        if !features.hasUsers {
            context.console.printMessage("The server has no accounts yet. The first account becomes its administrator.")
        }
        if let rule = features.passwordRule.sentence { context.console.printMessage(rule.printable) }
    }

    private func askEmail(_ context: CommandContext) async throws -> EmailAddress {
        try EmailAddress(typed: try await context.prompter.ask("E-mail", instead: "Give it: --email EMAIL"))
    }

    private func password(
        for email: EmailAddress, at server: Server, _ context: CommandContext
    ) async throws -> Secret {
        guard !readsPassword else { return try NewPasswordPrompt.checked(try await StandardInput.firstLine()) }
        return try await NewPasswordPrompt.ask(
            "New password of \(email) at \(server.address.authority)", fitting: server.features.passwordRule, context)
    }
}

/// Asks for a new password.
enum NewPasswordPrompt {
    /// Asks until the password fits the rule, then asks to repeat it.
    ///
    /// - Throws: ``LatchError`` when the two passwords differ.
    static func ask(
        _ question: String, fitting rule: PasswordRule, _ context: CommandContext
    ) async throws -> Secret {
        let instead = "Give it on standard input: --password-stdin"
        while true {
            let password = try checked(try await context.prompter.askSecret(question, instead: instead))
            if let problem = rule.problem(of: password) {
                context.console.warn(problem)
                continue
            }
            guard try await context.prompter.askSecret("Repeat the password", instead: instead) == password else {
                throw LatchError(.invalidInput, "The two passwords differ. Nothing was changed.")
            }
            return password
        }
    }

    /// Returns a password if it is valid.
    static func checked(_ password: Secret) throws(LatchError) -> Secret {
        try PasswordText.checked(password, otherwise: "Nothing was changed.")
    }
}
