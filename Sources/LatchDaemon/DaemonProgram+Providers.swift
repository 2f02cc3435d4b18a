import Arguments

extension DaemonProgram {
    static let providers: Command<any ExecutableCommand> = Command(
        "providers", "List and check the identity providers.", commands: [listProviders, checkProviders])

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
            "PROVIDER", completion: .output(of: ["providers", "list", "--ids"]),
            help: "The provider to check. Default: all.")
        return Command(
            "check", "Check the metadata, keys and client registration of each provider.",
            discussion: "Sends an invalid code to the token endpoint to test client id and secret. Signs no one in.",
            arguments: [id]
        ) { given in
            CheckProviders(configurationPath: given[config], id: given[id])
        }
    }()
}
