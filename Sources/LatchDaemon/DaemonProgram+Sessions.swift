import Arguments

extension DaemonProgram {
    static let sessions: Command<any ExecutableCommand> = Command(
        "sessions", "List and revoke sessions.", commands: [listSessions, revoke])

    private static let listSessions: Command<any ExecutableCommand> = {
        let email = OptionalArgument<String>(
            "EMAIL", completion: .output(of: ["user", "list", "--emails"]), help: "Only the sessions of this person.")
        let all = Flag("all", help: "Also list ended sessions.")
        return Command(
            "list", "List the live sessions.", arguments: [email, all, json]
        ) { given in
            ListSessions(
                configurationPath: given[config], email: given[email], isListingEnded: given[all], isJSON: given[json])
        }
    }()

    private static let revoke: Command<any ExecutableCommand> = {
        let id = OptionalArgument<String>(
            "ID", help: "The session's id, as shown in the list. What was allowed in it ends too.")
        let person = Option<String>(
            "user", value: "EMAIL", completion: .output(of: ["user", "list", "--emails"]),
            help: "All sessions of this person.")
        let all = Flag("all", help: "All sessions of all people.")
        let yes = Flag("yes", help: "With --all at a terminal, do not ask.")
        return Command(
            "revoke",
            "End sessions: their tokens are refused from then on. --user and --all also revoke API keys.",
            discussion: "A running gateway refuses them within a quarter of a second.",
            arguments: [id, person, all, yes]
        ) { given throws(ArgumentError) in
            let path = given[config]
            switch (given[id], given[person], given[all]) {
            case (let id?, nil, false):
                return RevokeSessions(configurationPath: path, which: .one(id), isConfirmed: true)
            case (nil, let email?, false):
                return RevokeSessions(configurationPath: path, which: .person(email), isConfirmed: true)
            case (nil, nil, true):
                return RevokeSessions(configurationPath: path, which: .everyone, isConfirmed: given[yes])
            default: throw given.usageError("give exactly one of ID, --user EMAIL and --all")
            }
        }
    }()
}
