import Arguments

extension DaemonProgram {
    static let keys: Command<any ExecutableCommand> = Command(
        "keys", "List and replace the keys that sign tokens.", commands: [listKeys, rotateKeys])

    private static let listKeys: Command<any ExecutableCommand> = Command(
        "list", "List the keys in the order in which they sign.",
        discussion: "Private keys are never shown.", arguments: [json]
    ) { given in
        ListKeys(configurationPath: given[config], isJSON: given[json])
    }

    private static let rotateKeys: Command<any ExecutableCommand> = {
        let compromised = Flag(
            "compromised",
            help: "The existing keys are compromised: remove them, and sign with the new key immediately.")
        return Command(
            "rotate", "Create a new key to replace the current signing key.",
            discussion: """
                The new key is published ten minutes before it signs. The old key stays published as long as a token \
                that it signed is valid. Keys are also rotated automatically; see tokens.key_rotation.
                """,
            arguments: [compromised]
        ) { given in
            RotateKeys(configurationPath: given[config], isCompromised: given[compromised])
        }
    }()
}
