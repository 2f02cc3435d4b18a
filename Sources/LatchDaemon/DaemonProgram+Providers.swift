import Arguments

extension DaemonProgram {
    static let providers: Command<any ExecutableCommand> = Command(
        "providers", "List and try the identity providers.", commands: [listProviders, checkProviders])

    private static let listProviders: Command<any ExecutableCommand> = {
        let ids = Flag("ids", help: "Print the ids only.")
        return Command(
            "list", "List the configured identity providers, with the address to register at each.",
            arguments: [json, ids]
        ) { given in
            ListProviders(configurationPath: given[config], isJSON: given[json], isIDsOnly: given[ids])
        }
    }()

    private static let checkProviders: Command<any ExecutableCommand> = {
        let id = OptionalArgument<String>(
            "PROVIDER", completion: .output(of: ["providers", "list", "--ids"]), help: "One alone; all otherwise.")
        return Command(
            "check", "Ask each provider what it says of itself and for its keys, and tell what is wrong.",
            discussion: "Nobody is signed in, so a wrong client id or secret is not found.", arguments: [id]
        ) { given in
            CheckProviders(configurationPath: given[config], id: given[id])
        }
    }()
}
