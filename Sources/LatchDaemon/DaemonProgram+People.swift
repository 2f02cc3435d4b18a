import Arguments

extension DaemonProgram {
    static let user: Command<any Work> = Command(
        "user", "Add, list and change people.",
        commands: [
            add, list, passwd,
            change("disable", "Forbid a person to sign in, and end their sessions.", .disable),
            change("enable", "Allow a person to sign in again.", .enable),
            remove,
        ])

    private static let add: Command<any Work> = {
        let email = Argument<String>("EMAIL", help: "The e-mail address; it is kept lower-cased.")
        let name = Option<String>("name", value: "NAME", help: "The name to show.")
        let admin = Flag("admin", help: "The person administers the server.")
        return Command(
            "add", "Add a person.", arguments: [email, name, admin, passwordStdin]
        ) { given in
            AddPerson(
                configurationPath: given[config], email: given[email], name: given[name],
                isAdministrator: given[admin], readsStandardInput: given[passwordStdin])
        }
    }()

    private static let list: Command<any Work> = {
        let emails = Flag("emails", help: "Print the e-mail addresses only.")
        return Command("list", "List everybody.", arguments: [json, emails]) { given in
            ListPeople(configurationPath: given[config], isJSON: given[json], isEmailsOnly: given[emails])
        }
    }()

    private static let passwd = Command<any Work>(
        "passwd", "Give a person another password, and end their sessions.", arguments: [email, passwordStdin]
    ) { given in
        SetPassword(
            configurationPath: given[config], email: given[email], readsStandardInput: given[passwordStdin])
    }

    private static let remove: Command<any Work> = {
        let yes = Flag("yes", short: "y", help: "Do not ask.")
        return Command(
            "remove", "Remove a person for good, and end their sessions.", arguments: [email, yes]
        ) { given in
            ChangePerson(
                configurationPath: given[config], email: given[email], change: .remove, isConfirmed: given[yes])
        }
    }()

    private static func change(_ name: String, _ summary: String, _ change: ChangePerson.Change) -> Command<any Work> {
        Command(name, summary, arguments: [email]) { given in
            ChangePerson(configurationPath: given[config], email: given[email], change: change, isConfirmed: true)
        }
    }
}
