import Arguments
import GatewayConfiguration
import GatewayCore
import Primitives
import SignInBridge

extension DaemonProgram {
    static let clients: Command<any ExecutableCommand> = Command(
        "clients", "Add, list, change and remove the clients that people sign in to with OAuth 2.1 and OpenID Connect.",
        commands: [
            addClient, listClients, showClient, setClient, approveClient, refuseClient, removeClient,
            removeUnverifiedClients,
        ])

    private static let settingOptions = ClientSettingOptions()

    private static let addClient: Command<any ExecutableCommand> = {
        let name = Option<String>("name", value: "NAME", help: "The name that people see when they sign in.")
        let redirects = OptionList<String>(
            "redirect", value: "ADDRESS",
            help: "An address at which the client's sign-in may end.")
        let confidential = Flag(
            "confidential", help: "Create a secret. A server can keep one, an app on people's devices cannot.")
        let device = Flag(
            "device", help: "Let devices without a browser sign in with a code. Such a client needs no --redirect.")
        let keys = Option<String>(
            "jwks", value: "FILE", completion: .file,
            help: "A file with the public keys of a client that authenticates with private_key_jwt, as a JSON Web Key "
                + "Set.")
        let tokens = Option<AccessTokenForm>(
            "access-tokens", value: "FORM",
            help: "The form of its access tokens: opaque, or jwt for servers that check them by themselves. Default: "
                + "opaque.")
        let signOutRedirects = OptionList<String>(
            "sign-out-redirect", value: "ADDRESS",
            help: "An address to which a browser may return after a sign-out that the client asked for.")
        let signOutAddress = Option<String>(
            "sign-out-address", value: "ADDRESS",
            help: "The address of the client that is told when its sessions end (Back-Channel Logout).")
        let proof = Flag("dpop", help: "Issue only tokens that are bound to a key of the client (DPoP).")
        let first: [any ParameterDeclaring] = [
            name, redirects, confidential, keys, device, proof, tokens, signOutRedirects, signOutAddress,
        ]
        return Command(
            "add", "Add a client, and print its id and its secret.",
            discussion: "The secret cannot be shown again.",
            arguments: first + settingOptions.arguments + [json]
        ) { given throws(ArgumentError) in
            guard let name = given[name], name.displayName(limit: 80) == name else {
                throw given.usageError("give --name NAME, of 1 to 80 visible characters, without control characters")
            }
            guard !given[redirects].isEmpty || given[device] else {
                throw given.usageError("give --redirect ADDRESS, such as https://notes.example/callback")
            }
            let addresses =
                given[redirects].map { ("--redirect", $0, AllowedRedirects.problem(with: $0, acceptsLocalhost: true)) }
                + given[signOutRedirects].map {
                    ("--sign-out-redirect", $0, AllowedRedirects.problem(with: $0, acceptsLocalhost: true))
                }
                + [given[signOutAddress]].compactMap { address in
                    address.map { ("--sign-out-address", $0, AllowedRedirects.requestProblem(with: $0)) }
                }
            for case (let option, let address, let problem?) in addresses {
                throw given.usageError("\(option) '\(address.printable)' is not valid: \(problem)")
            }
            guard given[keys] == nil || !given[confidential] else {
                throw given.usageError("a client with --jwks has no secret; remove --confidential")
            }
            return AddClient(
                configurationPath: given[config], name: name, redirects: given[redirects],
                isConfidential: given[confidential], allowsDevice: given[device], keysPath: given[keys],
                requiresProof: given[proof],
                signOut: ClientSignOutSettings(redirects: given[signOutRedirects], address: given[signOutAddress]),
                accessTokens: given[tokens] ?? .opaque, changes: try settingOptions.changes(in: given),
                isJSON: given[json])
        }
    }()

    private static let listClients: Command<any ExecutableCommand> = {
        let ids = Flag("ids", help: "Print the ids only.")
        return Command(
            "list", "List the clients: first those of the configuration, then the added ones.", arguments: [json, ids]
        ) { given in
            ListClients(configurationPath: given[config], isJSON: given[json], isIDsOnly: given[ids])
        }
    }()

    private static let clientID = Argument<String>(
        "ID", completion: .output(of: ["clients", "list", "--ids"]), help: "The client's id, as shown in the list.")

    private static let showClient: Command<any ExecutableCommand> = {
        let id = clientID
        return Command("show", "Show a client and its settings.", arguments: [id, json]) { given in
            ShowClient(configurationPath: given[config], id: given[id], isJSON: given[json])
        }
    }()

    private static let setClient: Command<any ExecutableCommand> = {
        let id = clientID
        let reset = OptionList<String>(
            "reset", value: "OPTION", help: "Make a setting the default again, such as --reset group.")
        let first: [any ParameterDeclaring] = [id, reset]
        return Command(
            "set", "Change the settings of an added client, or of one that registered itself.",
            discussion: "An option of a list replaces the whole list. The settings apply to the next sign-in and to "
                + "the next refresh of each session.",
            arguments: first + settingOptions.arguments + [json]
        ) { given throws(ArgumentError) in
            var changes: [ClientSettingChange] = []
            for name in given[reset] {
                guard let setting = ClientSetting.all.first(where: { $0.option == name }) else {
                    let names = ClientSetting.all.map(\.option).joined(separator: ", ")
                    throw given.usageError("--reset '\(name.printable)' is not valid: it must be one of \(names)")
                }
                changes.append(ClientSettingChange(setting: setting, words: nil))
            }
            changes += try settingOptions.changes(in: given)
            guard !changes.isEmpty else { throw given.usageError("give at least one option with a setting") }
            return SetClient(
                configurationPath: given[config], id: given[id], changes: changes, isJSON: given[json])
        }
    }()

    private static let approveClient = decision(
        "approve", "Let people sign in to a client that registered itself.", .approved)
    private static let refuseClient = decision(
        "refuse", "Refuse a client that registered itself, and end all sessions of it.", .refused)

    private static func decision(
        _ name: String, _ summary: String, _ approval: ClientApproval
    ) -> Command<any ExecutableCommand> {
        let id = clientID
        let digest = Option<String>(
            "digest", value: "DIGEST",
            help: "Decide only if the client still has this digest, as 'latchd clients show' prints it.")
        return Command(
            name, summary, discussion: "Prints the client about which it decided.", arguments: [id, digest]
        ) { given in
            DecideClient(configurationPath: given[config], id: given[id], approval: approval, digest: given[digest])
        }
    }

    private static let removeClient: Command<any ExecutableCommand> = {
        let id = clientID
        return Command(
            "remove", "Remove an added client, and end all sessions of it.",
            discussion: "A running gateway refuses its tokens from then on.", arguments: [id]
        ) { given in
            RemoveClient(configurationPath: given[config], id: given[id])
        }
    }()
}

extension DaemonProgram {
    fileprivate static let removeUnverifiedClients: Command<any ExecutableCommand> = Command(
        "remove-unverified",
        "Remove the clients that registered themselves and are not approved, and end their sessions.",
        discussion: "They register themselves again when people sign in to them."
    ) { given in
        RemoveUnverifiedClients(configurationPath: given[config])
    }
}

extension AccessTokenForm: ArgumentValue {}
