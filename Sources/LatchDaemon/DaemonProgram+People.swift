import Arguments

extension DaemonProgram {
    static let user: Command<any ExecutableCommand> = Command(
        "user", "Add, list and change people.",
        commands: [
            add, list, show, passwd,
            change("disable", "Forbid a person to sign in, and end their sessions.", .disable),
            change("enable", "Allow a person to sign in again.", .enable),
            link, unlink, remove,
        ])

    private static let add: Command<any ExecutableCommand> = {
        let email = Argument<String>("EMAIL", help: "The e-mail address; it is kept lower-cased.")
        let name = Option<String>("name", value: "NAME", help: "The name to show.")
        let admin = Flag("admin", help: "The person administers the server.")
        let invite = Flag(
            "invite", help: "Set no password: the person comes in through an identity provider that knows the address.")
        return Command(
            "add", "Add a person.", arguments: [email, name, admin, invite, passwordStdin, mustChange]
        ) { given throws(ArgumentError) in
            guard !given[invite] || !given[mustChange] else {
                throw given.mistake("give --invite or --must-change-password, not both: who is invited has no password")
            }
            guard !given[invite] || !given[passwordStdin] else {
                throw given.mistake("give --invite or --password-stdin, not both")
            }
            return AddPerson(
                configurationPath: given[config], email: given[email], name: given[name],
                isAdministrator: given[admin], mustChange: given[mustChange],
                password: given[invite] ? .none : given[passwordStdin] ? .standardInput : .terminal)
        }
    }()

    private static let show = Command<any ExecutableCommand>(
        "show", "Show a person, with every way to sign in.", arguments: [email, json]
    ) { given in
        ShowPerson(configurationPath: given[config], email: given[email], isJSON: given[json])
    }

    private static let provider = Argument<String>(
        "PROVIDER", completion: .output(of: ["providers", "list", "--ids"]), help: "The identity provider's id.")

    private static let link: Command<any ExecutableCommand> = {
        let subject = Argument<String>("SUBJECT", help: "The person's name there, which the provider calls 'sub'.")
        let force = Flag("force", help: "Link a subject that nobody has come with yet.")
        return Command(
            "link", "Say who a person is at a provider, for one that does not verify e-mail addresses.",
            arguments: [email, provider, subject, force]
        ) { given in
            LinkPerson(
                configurationPath: given[config], email: given[email], provider: given[provider],
                subject: given[subject], isForced: given[force])
        }
    }()

    private static let unlink: Command<any ExecutableCommand> = {
        return Command(
            "unlink", "Take a person's identity at a provider away, and end their sessions.",
            arguments: [email, provider]
        ) { given in
            UnlinkPerson(configurationPath: given[config], email: given[email], provider: given[provider])
        }
    }()

    private static let list: Command<any ExecutableCommand> = {
        let emails = Flag("emails", help: "Print the e-mail addresses only.")
        return Command("list", "List everybody.", arguments: [json, emails]) { given in
            ListPeople(configurationPath: given[config], isJSON: given[json], isEmailsOnly: given[emails])
        }
    }()

    private static let passwd = Command<any ExecutableCommand>(
        "passwd", "Give a person another password, and end their sessions.",
        arguments: [email, passwordStdin, mustChange]
    ) { given in
        SetPassword(
            configurationPath: given[config], email: given[email], readsStandardInput: given[passwordStdin],
            mustChange: given[mustChange])
    }

    private static let mustChange = Flag(
        "must-change-password", help: "The person must choose another password before anything else.")

    private static let remove: Command<any ExecutableCommand> = {
        let yes = Flag("yes", short: "y", help: "Do not ask.")
        return Command(
            "remove", "Remove a person for good, and end their sessions.", arguments: [email, yes]
        ) { given in
            ChangePerson(
                configurationPath: given[config], email: given[email], change: .remove, isConfirmed: given[yes])
        }
    }()

    private static func change(_ name: String, _ summary: String, _ change: ChangePerson.Change) -> Command<
        any ExecutableCommand
    > {
        Command(name, summary, arguments: [email]) { given in
            ChangePerson(configurationPath: given[config], email: given[email], change: change, isConfirmed: true)
        }
    }
}
