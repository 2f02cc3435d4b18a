import Arguments
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
            help: "An address at which the client's sign-in may end. May be given several times.")
        let confidential = Flag(
            "confidential", help: "Create a secret. A server can keep one, an app on people's devices cannot.")
        let device = Flag(
            "device", help: "Let devices without a browser sign in with a code. Such a client needs no --redirect.")
        let keys = Option<String>(
            "jwks", value: "FILE", completion: .file,
            help: "A file with the public keys of a client that authenticates with private_key_jwt, as a JSON Web Key "
                + "Set.")
        let proof = Flag("dpop", help: "Issue only tokens that are bound to a key of the client (DPoP).")
        return Command(
            "add", "Add a client, and print its id and its secret.",
            discussion: "The secret cannot be shown again.",
            arguments: [name, redirects, confidential, keys, device, proof, json]
        ) { given throws(ArgumentError) in
            guard let name = given[name], name.displayName(limit: 80) == name else {
                throw given.usageError("give --name NAME, of 1 to 80 characters")
            }
            guard !given[redirects].isEmpty || given[device] else {
                throw given.usageError("give --redirect ADDRESS, such as https://notes.example/callback")
            }
            for redirect in given[redirects] {
                if let problem = AllowedRedirects.problem(with: redirect) {
                    throw given.usageError("--redirect '\(redirect.printable)' is not valid: \(problem)")
                }
            }
            guard given[keys] == nil || !given[confidential] else {
                throw given.usageError("a client with --jwks has no secret; remove --confidential")
            }
            return AddClient(
                configurationPath: given[config], name: name, redirects: given[redirects],
                isConfidential: given[confidential], allowsDevice: given[device], keysPath: given[keys],
                requiresProof: given[proof], isJSON: given[json])
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
