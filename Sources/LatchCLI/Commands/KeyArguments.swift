import Arguments
import LatchKit
import Terminal

/// The options for signing in with a key, and for the scopes of a key that a sign-in creates.
struct KeyArguments: Sendable {
    private static let key = Flag(
        "key", help: "Sign in with a key that you created on the server; it is read without echo.")
    private static let keyFromInput = Flag(
        "key-stdin", help: "Read that key from the first line of standard input, and do not prompt.")
    private static let least = Flag(
        "least-privilege", help: "Let the server create a key with only the scopes that an app needs.")
    private static let scopes = Option<String>(
        "scopes", value: "SCOPES", defaultText: "all scopes",
        help: "Let the server create a key with these scopes, separated by commas: api:read,app.")

    /// The options in the order of the help.
    static let all: [any ParameterDeclaring] = [key, keyFromInput, least, scopes]

    /// Whether the person chose to sign in with a key.
    let isChosen: Bool
    /// Whether the key is read from standard input.
    let readsKey: Bool
    private let wantsLeast: Bool
    private let words: [String]?

    init(_ given: Invocation) throws(ArgumentError) {
        readsKey = given[Self.keyFromInput]
        isChosen = readsKey || given[Self.key]
        wantsLeast = given[Self.least]
        let words = given[Self.scopes]?.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
        self.words = words
        if words?.isEmpty == true {
            throw given.usageError("--scopes takes scopes separated by commas, such as api:read,app")
        }
        if wantsLeast, words != nil { throw given.usageError("--least-privilege and --scopes cannot be combined") }
        if isChosen, wantsLeast || words != nil {
            throw given.usageError(
                "the scopes of an existing key cannot be changed: leave out --least-privilege and --scopes")
        }
    }

    /// Returns the scopes of the key to create. Nil means all scopes.
    ///
    /// - Throws: ``LatchError/Code/noKeys`` when scopes were given for a server that creates no keys.
    func scopes(at server: Server) throws(LatchError) -> [String]? {
        guard wantsLeast || words != nil else { return nil }
        guard let leastScopes = server.leastScopes else {
            throw LatchError(
                .noKeys,
                "\(server.address) speaks \(server.dialect.title) and issues no keys, so there is nothing to limit. "
                    + "Leave out --least-privilege and --scopes.")
        }
        return words ?? leastScopes
    }

    /// Signs in with the person's key.
    func signIn(to server: Server, _ context: CommandContext) async throws -> Account {
        let key =
            readsKey
            ? try await StandardInput.firstLine(as: "--key-stdin", "key")
            : try await context.prompter.askSecret(
                "Key for \(server.address.authority)", instead: "Give it on standard input: --key-stdin")
        let account = try await context.client().signIn(KeySignIn(key: key), to: server)
        if account.apiKeyID == nil {
            context.console.warn(
                "The server does not say which of your keys this is, so signing out cannot revoke it. Revoke it on the "
                    + "server.")
        }
        return account
    }
}
