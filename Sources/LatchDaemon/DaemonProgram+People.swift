import Arguments

extension DaemonProgram {
    static let user: Command<any ExecutableCommand> = Command(
        "user", "Add, list and change people.",
        commands: [
            add, list, show, passwd,
            command("disable", "Prevent a person from signing in, and end their sessions.", for: .disable),
            command("enable", "Allow a person to sign in again.", for: .enable),
            link, unlink, remove,
        ])

    private static let add: Command<any ExecutableCommand> = {
        let email = Argument<String>("EMAIL", help: "The e-mail address. It is stored in lower case.")
        let name = Option<String>("name", value: "NAME", help: "The display name.")
        let admin = Flag("admin", help: "Make the person an administrator.")
        let invite = Flag(
            "invite", help: "Set no password: the person signs in through an identity provider with this address.")
        return Command(
            "add", "Add a person.", arguments: [email, name, admin, invite, passwordStdin, mustChange]
        ) { given throws(ArgumentError) in
            guard !given[invite] || !given[mustChange] else {
                throw given.usageError(
                    "give --invite or --must-change-password, not both: an invited person has no password")
            }
            guard !given[invite] || !given[passwordStdin] else {
                throw given.usageError("give --invite or --password-stdin, not both")
            }
            return AddPerson(
                configurationPath: given[config], email: given[email], name: given[name],
                isAdministrator: given[admin], mustChange: given[mustChange],
                password: given[invite] ? .none : given[passwordStdin] ? .standardInput : .terminal)
        }
    }()

    private static let show = Command<any ExecutableCommand>(
        "show", "Show a person and all their ways to sign in.", arguments: [email, json]
    ) { given in
        ShowPerson(configurationPath: given[config], email: given[email], isJSON: given[json])
    }

    private static let provider = Argument<String>(
        "PROVIDER", completion: .output(of: ["providers", "list", "--ids"]), help: "The identity provider's id.")

    private static let link: Command<any ExecutableCommand> = {
        let subject = Argument<String>("SUBJECT", help: "The person's identifier at the provider, its claim 'sub'.")
        let force = Flag(
            "force",
            help: "Also link a subject that has not signed in yet, or an account whose address is not proved; such "
                + "an account loses its password, PIN, other identities, sessions and keys.")
        return Command(
            "link", "Link a person to an identity at a provider that does not verify e-mail addresses.",
            arguments: [email, provider, subject, force]
        ) { given in
            LinkPerson(
                configurationPath: given[config], email: given[email], provider: given[provider],
                subject: given[subject], isForced: given[force])
        }
    }()

    private static let unlink: Command<any ExecutableCommand> = {
        return Command(
            "unlink", "Remove a person's identity at a provider, and end their sessions.",
            arguments: [email, provider]
        ) { given in
            UnlinkPerson(configurationPath: given[config], email: given[email], provider: given[provider])
        }
    }()

    private static let list: Command<any ExecutableCommand> = {
        let emails = Flag("emails", help: "Print the e-mail addresses only.")
        return Command("list", "List all people.", arguments: [json, emails]) { given in
            ListPeople(configurationPath: given[config], isJSON: given[json], isEmailsOnly: given[emails])
        }
    }()

    private static let passwd = Command<any ExecutableCommand>(
        "passwd", "Set a new password for a person, and end their sessions.",
        arguments: [email, passwordStdin, mustChange]
    ) { given in
        SetPassword(
            configurationPath: given[config], email: given[email], readsStandardInput: given[passwordStdin],
            mustChange: given[mustChange])
    }

    private static let mustChange = Flag(
        "must-change-password", help: "Require the person to choose a new password before anything else.")

    private static let remove: Command<any ExecutableCommand> = {
        let yes = Flag("yes", short: "y", help: "Do not ask for confirmation.")
        return Command(
            "remove", "Remove a person permanently, and end their sessions.", arguments: [email, yes]
        ) { given in
            ChangePerson(
                configurationPath: given[config], email: given[email], change: .remove, isConfirmed: given[yes])
        }
    }()

    private static func command(
        _ name: String, _ summary: String, for change: ChangePerson.Change
    ) -> Command<any ExecutableCommand> {
        Command(name, summary, arguments: [email]) { given in
            ChangePerson(configurationPath: given[config], email: given[email], change: change, isConfirmed: true)
        }
    }
}
