import Arguments

extension DaemonProgram {
    static let sessions: Command<any ExecutableCommand> = Command(
        "sessions", "List and revoke sessions.", commands: [listSessions, revoke])

    private static let listSessions: Command<any ExecutableCommand> = {
        let email = OptionalArgument<String>(
            "EMAIL", completion: .output(of: ["user", "list", "--emails"]), help: "Only this person's.")
        let all = Flag("all", help: "Ended ones too.")
        return Command(
            "list", "List the live sessions.", arguments: [email, all, json]
        ) { given in
            ListSessions(
                configurationPath: given[config], email: given[email], isListingEnded: given[all], isJSON: given[json])
        }
    }()

    private static let revoke: Command<any ExecutableCommand> = {
        let id = OptionalArgument<String>("ID", help: "The session's id, as the list shows it.")
        let person = Option<String>(
            "user", value: "EMAIL", completion: .output(of: ["user", "list", "--emails"]),
            help: "All sessions of this person.")
        let all = Flag("all", help: "All sessions of everybody.")
        let yes = Flag("yes", help: "With --all at a terminal, do not ask.")
        return Command(
            "revoke",
            "End sessions: their tokens are refused from then on. All of a person, or of everybody, end with the keys of programs.",
            discussion: "A gateway that is running refuses them within a quarter of a second.",
            arguments: [id, person, all, yes]
        ) { given throws(ArgumentError) in
            let path = given[config]
            switch (given[id], given[person], given[all]) {
            case (let id?, nil, false):
                return RevokeSessions(configurationPath: path, which: .one(id), isConfirmed: true)
            case (nil, let email?, false):
                return RevokeSessions(configurationPath: path, which: .person(email), isConfirmed: true)
            case (nil, nil, true):
                return RevokeSessions(configurationPath: path, which: .everybody, isConfirmed: given[yes])
            default: throw given.mistake("give exactly one of ID, --user EMAIL and --all")
            }
        }
    }()
}
