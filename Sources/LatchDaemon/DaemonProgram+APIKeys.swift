import Arguments

extension DaemonProgram {
    static let apiKeys: Command<any ExecutableCommand> = Command(
        "api-keys", "List and revoke the API keys of people's programs.",
        commands: [listAPIKeys, revokeAPIKeys])

    private static let owner = Option<String>(
        "person", value: "EMAIL", completion: .output(of: ["user", "list", "--emails"]),
        help: "Only the keys of this person.")

    private static let listAPIKeys = Command<any ExecutableCommand>(
        "list", "List the valid keys, newest first. The keys themselves are never shown.", arguments: [owner, json]
    ) { given in
        ListAPIKeys(configurationPath: given[config], email: given[owner], isJSON: given[json])
    }

    private static let revokeAPIKeys: Command<any ExecutableCommand> = {
        let id = OptionalArgument<String>("ID", help: "The key's id, as shown in the list.")
        let person = Option<String>(
            "person", value: "EMAIL", completion: .output(of: ["user", "list", "--emails"]),
            help: "All keys of this person.")
        return Command(
            "revoke", "Revoke keys: they are refused from then on.",
            discussion: "A running gateway refuses them within a quarter of a second.",
            arguments: [id, person]
        ) { given throws(ArgumentError) in
            let path = given[config]
            switch (given[id], given[person]) {
            case (let id?, nil): return RevokeAPIKeys(configurationPath: path, which: .one(id))
            case (nil, let email?): return RevokeAPIKeys(configurationPath: path, which: .person(email))
            default: throw given.usageError("give exactly one of ID and --person EMAIL")
            }
        }
    }()
}
