import Arguments
import Crypto
import LatchKit
import Terminal

/// `latch login`: finds a server, asks about its certificate if needed, and signs in.
struct Login: ExecutableCommand {
    private static let address = OptionalArgument<String>(
        "ADDRESS",
        help: """
            The server, such as photos.example.org, or the name of a hosted one, such as onyx-cloud. Default: \
            API_BASE_URL, or the answer to a prompt.
            """)
    private static let email = Option<String>(
        "email", short: "e", value: "EMAIL",
        help: "The e-mail address to sign in with. Default: the answer to a prompt.")
    private static let passwordFromInput = Flag(
        "password-stdin", help: "Read the password from the first line of standard input, and do not prompt.")

    static let command = Command<Request>(
        "login", "Sign in to a server.",
        discussion: """
            A password is read without echo, or from standard input. It is never an argument. With the browser you \
            sign in on the pages of the server or of an identity provider, and the browser returns to latch. If it \
            cannot return, for example from another machine, paste the link that it would have opened. If a server \
            supports several ways, latch asks which one to use.

            With --device you sign in on another device: latch shows an address and a code, and waits until you have \
            entered the code there. Servers of OAuth and gateways (latchd) can offer this.

            Some servers issue a permanent key after a sign-in with the browser. It has all scopes unless you limit \
            them. If such a server names no identity provider, sign in with a key that you created there.

            Without ADDRESS the server is the value of the environment variable API_BASE_URL. If it is not set, latch \
            asks, and suggests the server that was found last if no one has signed in since, then the active \
            account's server, then http://localhost:3001.

            The account becomes the active one. Signing in again as the same person renews its session. With \
            --account you sign in to the server of that account.

            Header fields, a client certificate, a proxy and a pinned certificate are stored with the account. If one \
            contains a secret, write it to a file and give @FILE: other users can see a command line.
            """,
        arguments: [address, AccountOption.option, email, passwordFromInput] + BrowserArguments.all + KeyArguments.all
            + ConnectionArguments.all
    ) { given throws(ArgumentError) in
        let isKnown = given[AccountOption.option] != nil
        if isKnown, given[address] != nil { throw given.usageError("give either ADDRESS or --account") }
        if given[passwordFromInput], !isKnown {
            if given[address] == nil { throw given.usageError("--password-stdin needs ADDRESS") }
            if given[email] == nil { throw given.usageError("--password-stdin needs --email") }
        }
        let browser = try BrowserArguments(given)
        if browser.isChosen, given[email] != nil || given[passwordFromInput] {
            throw given.usageError(
                "--email and --password-stdin are for signing in with a password, not with the browser")
        }
        let key = try KeyArguments(given)
        if key.isChosen, browser.isChosen || given[email] != nil || given[passwordFromInput] {
            throw given.usageError("--key and --key-stdin sign in with a key: leave out the options of other ways")
        }
        if key.readsKey, given[address] == nil, !isKnown { throw given.usageError("--key-stdin needs ADDRESS") }
        return Request(
            given,
            Login(
                address: given[address], selector: given[AccountOption.option], email: given[email],
                readsPassword: given[passwordFromInput],
                browser: browser, key: key, connection: try ConnectionArguments(given)))
    }

    private let address: String?
    private let selector: String?
    private let email: String?
    private let readsPassword: Bool
    private let browser: BrowserArguments
    private let key: KeyArguments
    private let connection: ConnectionArguments

    var isNonInteractive: Bool { readsPassword || key.readsKey }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let known = if let selector { try await context.account(selector) } else { Account?.none }
        let address = if let known { known.serverURL } else { try await serverAddress(context) }
        let email = try (email ?? (readsPassword ? known?.userEmail : nil)).map { try EmailAddress(typed: $0) }
        let options = try await connectionOptions(for: address, account: known, context)
        let server = try await ServerSearch(
            context: context, prompter: context.prompter, dialect: browser.clientID == nil ? nil : .oauth
        ).find(address, options)
        if try await context.knownAccount(at: server.address) == nil {
            try await context.client().accounts.storeDiscoveredServer(server.address)
        }
        let scopes = try key.scopes(at: server)
        let store = try await context.openSecretsForSignIn()
        let progress = SignInProgressText(environment: context.environment)
        let account =
            switch try await SignInChoice(features: server.features, address: address).decide(preference, context) {
            case .password(let typed):
                try await signInWithPassword(
                    to: server, email: email ?? typed, account: known, progress: progress, context)
            case .device:
                try await signInOnDevice(to: server, scopes: scopes, progress: progress, context)
            case .browser(let provider):
                try await signInWithBrowser(
                    to: server, provider: provider, scopes: scopes, progress: progress, context)
            case .key: try await key.signIn(to: server, context)
            }
        if !context.console.isJSON { context.console.printMessage(store.explanation) }
        try await NewPassword(account: account, context: context).afterSignIn()
        let secrets = try await context.secrets()
        progress.show(on: context.console)
        let stored = try await context.client().accounts.account(account.id) ?? account
        try context.console.result(
            ["Signed in to \(account.serverURL) as \(account.userEmail)."],
            json: .object(
                [
                    .init("account", AccountText.json(stored)), .init("secrets", SecretsText.json(secrets)),
                    .init("explanation", .string(store.explanation)),
                ] + progress.json(for: stored)))
        return .done
    }

    private var preference: SignInChoice.Preference {
        if key.isChosen { return .key }
        if browser.usesDevice { return .device }
        if browser.isChosen { return .browser(provider: browser.provider) }
        return email != nil || readsPassword ? .password : .none
    }

    private func signInWithBrowser(
        to server: Server, provider: String?, scopes: [String]?, progress: SignInProgressText,
        _ context: CommandContext
    ) async throws -> Account {
        var signIn = try browser.signIn(provider: provider, context)
        signIn.scopes = scopes
        return try await context.client().signIn(signIn, to: server, onStep: progress.record)
    }

    private func signInOnDevice(
        to server: Server, scopes: [String]?, progress: SignInProgressText, _ context: CommandContext
    ) async throws -> Account {
        var signIn = browser.deviceSignIn(context)
        signIn.scopes = scopes
        return try await context.client().signIn(signIn, to: server, onStep: progress.record)
    }

    private func signInWithPassword(
        to server: Server, email: EmailAddress?, account known: Account?, progress: SignInProgressText,
        _ context: CommandContext
    ) async throws -> Account {
        let who = if let email { email } else { try await askEmail(at: server, account: known, context) }
        let password = try await password(for: who, at: server, context.prompter)
        return try await context.client().signIn(
            PasswordSignIn(email: who.text, password: password), to: server, onStep: progress.record)
    }

    private func serverAddress(_ context: CommandContext) async throws -> ServerAddress {
        if let address { return try ServerAddress(addressOrName: address) }
        let configured = try ServerAddress.configured(in: context.environment)
        guard context.environment["API_BASE_URL", default: ""].isEmpty else {
            // Other projects use a variable of that name too, so a message is printed.
            context.console.printMessage("Signing in to \(configured), the value of API_BASE_URL.")
            return configured
        }
        let accounts = try await context.client().accounts
        let found = try await accounts.discoveredServer()
        if let found, !context.prompter.isAvailable {
            context.console.printMessage("Signing in to \(found), the server that was found last.")
            return found
        }
        let known = if let found { found } else { try await accounts.activeAccount()?.serverURL }
        let text = try await context.prompter.ask(
            "Server address", suggestion: (known ?? configured).url, instead: "Give it: latch login ADDRESS")
        return try ServerAddress(addressOrName: text)
    }

    /// Returns the connection options of the command line. Without any, returns those of the account at that address.
    private func connectionOptions(
        for address: ServerAddress, account known: Account?, _ context: CommandContext
    ) async throws -> ConnectionOptions {
        let account = if let known { known } else { try await context.knownAccount(at: address) }
        guard connection.isEmpty, let account else {
            return try await connection.options(for: address, context.prompter)
        }
        try await context.openSecrets()
        return try await context.client().accounts.connection(of: account.id)
    }

    private func askEmail(
        at server: Server, account: Account?, _ context: CommandContext
    ) async throws -> EmailAddress {
        let known = if let account { account } else { try await context.knownAccount(at: server.address) }
        let text = try await context.prompter.ask(
            "E-mail at \(server.address.authority)", suggestion: known?.userEmail, instead: "Give it: --email EMAIL")
        return try EmailAddress(typed: text)
    }

    private func password(for email: EmailAddress, at server: Server, _ prompter: Prompter) async throws -> Secret {
        let password =
            readsPassword
            ? try await StandardInput.firstLine()
            : try await prompter.askSecret(
                "Password of \(email) at \(server.address.authority)",
                instead: "Give it on standard input: --password-stdin")
        return try PasswordText.checked(password, otherwise: "You were not signed in.")
    }
}
