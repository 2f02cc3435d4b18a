import Arguments

extension DaemonProgram {
    static let apiKeys: Command<any ExecutableCommand> = Command(
        "api-keys", "List and revoke the keys that people gave to their programs.",
        commands: [listAPIKeys, revokeAPIKeys])

    private static let owner = Option<String>(
        "person", value: "EMAIL", completion: .output(of: ["user", "list", "--emails"]), help: "Only this person's.")

    private static let listAPIKeys = Command<any ExecutableCommand>(
        "list", "List the keys that are good, newest first; never the keys themselves.", arguments: [owner, json]
    ) { given in
        ListAPIKeys(configurationPath: given[config], email: given[owner], isJSON: given[json])
    }

    private static let revokeAPIKeys: Command<any ExecutableCommand> = {
        let id = OptionalArgument<String>("ID", help: "The key's id, as the list shows it.")
        let person = Option<String>(
            "person", value: "EMAIL", completion: .output(of: ["user", "list", "--emails"]),
            help: "All keys of this person.")
        return Command(
            "revoke", "Revoke keys: they are refused from then on.",
            discussion: "A gateway that is running refuses them within a quarter of a second.",
            arguments: [id, person]
        ) { given throws(ArgumentError) in
            let path = given[config]
            switch (given[id], given[person]) {
            case (let id?, nil): return RevokeAPIKeys(configurationPath: path, which: .one(id))
            case (nil, let email?): return RevokeAPIKeys(configurationPath: path, which: .person(email))
            default: throw given.mistake("give exactly one of ID and --person EMAIL")
            }
        }
    }()
}
