import Arguments
import LatchKit
import SecretStorage

/// The options that all commands take.
struct CommonOptions: Sendable {
    private static let json = Flag("json", help: "Print one JSON value instead of text.")
    private static let secrets = Option<SecretsArgument>(
        "secrets", value: "STORE", environment: SecretsEnvironment.storeVariable, defaultText: "the store used before",
        help: "Store secrets only in the Secret Service or only in a sealed file.")
    private static let secretsKey = Option<String>(
        "secrets-key", value: "FILE", environment: SecretsEnvironment.keyFileVariable, completion: .file,
        help: "Open the sealed file with this key file (mode 0600) instead of a passphrase.")

    /// The options in the order of the help.
    static let all: [any ParameterDeclaring] = [json, secrets, secretsKey]

    /// Whether to print JSON.
    var isJSON = false
    /// Where to keep secrets.
    var secrets = SecretStorageChoice.automatic
    /// The path of the key file for the sealed file.
    var secretsKey: String?

    init() {}

    init(_ given: Invocation) {
        isJSON = given[Self.json]
        secretsKey = given[Self.secretsKey]
        secrets = given[Self.secrets]?.choice ?? .automatic
    }
}

/// The words of `--secrets`.
enum SecretsArgument: String, CaseIterable, ArgumentValue {
    case service
    case file

    var choice: SecretStorageChoice { self == .service ? .service : .file }
}

/// The option `--account` of commands that work with one account, and the argument that can replace it.
enum AccountOption {
    /// The completion of account names. Shells run the program itself to get them.
    static let completion = CompletionHint.output(of: [LatchProgram.namesWord])

    static let option = Option<String>(
        "account", short: "a", value: "ACCOUNT", defaultText: "the active account", completion: completion,
        help: "The account, by its number, e-mail address, server or the beginning of its id.")

    /// The account as an argument, for commands that act on the account itself. ``selector(_:)`` reads both.
    static let argument = OptionalArgument<String>(
        "ACCOUNT", completion: completion, help: "The account, the same as --account.")

    /// Returns the account that was named in either way.
    static func selector(_ given: Invocation) throws(ArgumentError) -> String? {
        guard let word = given[argument] else { return given[option] }
        guard let other = given[option], other != word else { return word }
        throw given.usageError("name one account, as ACCOUNT or with --account")
    }
}
