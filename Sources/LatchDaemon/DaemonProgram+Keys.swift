import Arguments

extension DaemonProgram {
    static let keys: Command<any ExecutableCommand> = Command(
        "keys", "List and replace the keys that tokens are signed with.", commands: [listKeys, rotateKeys])

    private static let listKeys: Command<any ExecutableCommand> = Command(
        "list", "List the keys, from the first that signed to the last that will.",
        discussion: "Private halves are never shown.", arguments: [json]
    ) { given in
        ListKeys(configurationPath: given[config], isJSON: given[json])
    }

    private static let rotateKeys: Command<any ExecutableCommand> = {
        let compromised = Flag(
            "compromised",
            help: "The keys of before are in wrong hands: remove them, and sign with the new one at once.")
        return Command(
            "rotate", "Make a new key in place of the one that signs now.",
            discussion: """
                The new key is shown to everybody for ten minutes before it signs, and the old one for as long as a token \
                that it signed is good. This also happens by itself, see tokens.key_rotation.
                """,
            arguments: [compromised]
        ) { given in
            RotateKeys(configurationPath: given[config], isCompromised: given[compromised])
        }
    }()
}
