import Arguments
import GatewayCore
import Primitives
import SignInBridge

extension DaemonProgram {
    static let clients: Command<any ExecutableCommand> = Command(
        "clients", "Add, list and remove the clients that people sign in to with OAuth 2.1 and OpenID Connect.",
        commands: [addClient, listClients, removeClient])

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
        return Command(
            "add", "Add a client, and print its id and its secret.",
            discussion: "The secret cannot be shown again.",
            arguments: [
                name, redirects, confidential, keys, device, proof, tokens, signOutRedirects, signOutAddress, json,
            ]
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
                accessTokens: given[tokens] ?? .opaque, isJSON: given[json])
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

    private static let removeClient: Command<any ExecutableCommand> = {
        let id = Argument<String>(
            "ID", completion: .output(of: ["clients", "list", "--ids"]), help: "The client's id, as shown in the list.")
        return Command(
            "remove", "Remove an added client, and end all sessions of it.",
            discussion: "A running gateway refuses its tokens from then on.", arguments: [id]
        ) { given in
            RemoveClient(configurationPath: given[config], id: given[id])
        }
    }()
}

extension AccessTokenForm: ArgumentValue {}
