import Arguments
import GatewayConfiguration

extension DaemonProgram {
    static let bans: Command<any ExecutableCommand> = Command(
        "bans", "Refuse all requests of addresses and networks.", commands: [addBan, listBans, removeBan])

    private static let addBan: Command<any ExecutableCommand> = {
        let network = Argument<String>(
            "NETWORK", help: "An address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.")
        let duration = Option<String>(
            "for", value: "DURATION", help: "How long, such as 30m, 12h or 7d. Default: until it is removed.")
        let note = Option<String>(
            "note", value: "TEXT",
            help: "Why, for other operators. At most 200 characters. Default: the note of the ban, if there is one.")
        return Command(
            "add", "Ban an address or a network, or change its ban.",
            discussion: """
                Running gateways refuse its requests within a quarter of a second, with 403. Addresses of this machine \
                and of trusted proxies cannot be banned. At most 1,000 bans are stored.
                """,
            arguments: [network, duration, note]
        ) { given throws(ArgumentError) in
            let length = given[duration].map { DurationText.read($0) }
            if let length {
                guard let length, length > .zero, length <= .seconds(315_360_000) else {
                    throw given.usageError("give --for a duration of at most 10 years, such as 30m, 12h or 7d")
                }
            }
            return AddBan(
                configurationPath: given[config], network: given[network], duration: length ?? nil, note: given[note])
        }
    }()

    private static let listBans = Command<any ExecutableCommand>(
        "list", "List the bans, the newest first.", arguments: [json]
    ) { given in ListBans(configurationPath: given[config], isJSON: given[json]) }

    private static let removeBan: Command<any ExecutableCommand> = {
        let network = Argument<String>("NETWORK", help: "The address or the network, as in the list.")
        return Command("remove", "Remove a ban.", arguments: [network]) { given in
            RemoveBan(configurationPath: given[config], network: given[network])
        }
    }()
}
