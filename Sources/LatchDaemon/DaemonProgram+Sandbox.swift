import Arguments
import LatchSandbox

extension DaemonProgram {
    static let sandbox: Command<any ExecutableCommand> = {
        let port = OptionList<PortChoice>(
            "port", value: "NAME=PORT",
            help: "The port of \(Sandbox.portNames.joined(separator: " or ")). Default: a free port.")
        let host = Option<String>(
            "host", value: "ADDRESS", defaultText: "127.0.0.1", help: "The loopback address to listen on.")
        let client = OptionList<ClientChoice>(
            "client", value: "ID=REDIRECT",
            help: "An additional client of the issuer, which must use PKCE and has no secret.")
        let json = Flag("json", help: "Print one line of JSON with the addresses and people when everything is ready.")
        let verbose = Flag("verbose", help: "Write the gateways' log to standard error.")
        return Command(
            "sandbox", "Try everything on this machine: an identity provider and a gateway for each dialect.",
            discussion: """
                All people in it are examples, and their passwords are public: it listens on loopback only. The \
                provider's sign-in page lets you consent, deny, or simulate a failure. All data is in a temporary \
                folder, which is removed at the end. No configuration is read.

                The line of JSON has a member for each server, such as {"onyx":{"url":…},…}, the provider's \
                {"issuer":{"url":…}} and {"users":[{"email":…,"password":…},…]} (docs/sandbox.md).
                """,
            arguments: [port, host, client, json, verbose]
        ) { given throws(ArgumentError) in
            var configuration = Sandbox.Configuration()
            configuration.isVerbose = given[verbose]
            if let host = given[host] { configuration.host = host }
            for choice in given[port] {
                guard configuration.ports.updateValue(choice.port, forKey: choice.name) == nil else {
                    throw given.usageError("give --port \(choice.name)=… only once")
                }
            }
            let redirects = Dictionary(grouping: given[client], by: \.id).mapValues { $0.map(\.redirect) }
            configuration.clients = redirects.map { RegisteredClient(id: $0, secret: nil, redirects: $1) }
            return RunSandbox(configuration: configuration, isJSON: given[json])
        }
    }()
}

/// The port of one part of the sandbox, as given on the command line.
struct PortChoice: ArgumentValue {
    let name: String
    let port: UInt16

    init(argument: String) throws(ArgumentValueError) {
        let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard halves.count == 2, Sandbox.portNames.contains(halves[0]), let port = UInt16(halves[1]) else {
            throw ArgumentValueError(
                expected: "NAME=PORT with \(Sandbox.portNames.joined(separator: " or ")) for NAME")
        }
        name = halves[0]
        self.port = port
    }
}

/// A client of the sandbox's provider, and one of its redirect addresses.
struct ClientChoice: ArgumentValue {
    let id: String
    let redirect: String

    init(argument: String) throws(ArgumentValueError) {
        let halves = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard halves.count == 2, halves[0] != Sandbox.clientID, halves[1].contains("://") else {
            throw ArgumentValueError(
                expected: "ID=REDIRECT, with an id other than '\(Sandbox.clientID)' and an absolute URL")
        }
        (id, redirect) = (halves[0], halves[1])
    }
}
