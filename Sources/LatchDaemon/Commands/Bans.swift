import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import Primitives
import Terminal

/// `latchd bans add`: bans an address or a network.
struct AddBan: ExecutableCommand {
    let configurationPath: String?
    let network: String
    let duration: Duration?
    let note: String?

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let ban = try await administration.withStores { stores in
            try await stores.bans.add(network, for: duration, note: note)
        }
        let end = ban.expires.map { "until \($0.forPeople)" } ?? "until the ban is removed"
        try Output.lines(["Requests of \(ban.network) are refused \(end)."])
        return .done
    }
}

/// `latchd bans list`: prints the bans.
struct ListBans: ExecutableCommand {
    let configurationPath: String?
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let bans = try await administration.withStores { try await $0.bans.bans() }
        if isJSON {
            try Output.json(.array(bans.map(json)))
        } else if bans.isEmpty {
            try Output.lines(["No bans. Add one: latchd bans add NETWORK"])
        } else {
            var table = Table(["NETWORK", "SINCE", "UNTIL", "NOTE"])
            for ban in bans {
                table.add([
                    ban.network.description, ban.created.forPeople, ban.expires?.forPeople ?? "no end",
                    (ban.note ?? "").printable,
                ])
            }
            try Output.lines(table.lines { $0 })
        }
        return .done
    }

    private func json(_ ban: Ban) -> JSONValue {
        [
            "network": .string(ban.network.description), "note": ban.note.map(JSONValue.string) ?? .null,
            "createdAt": .string(ban.created.forPrograms),
            "expiresAt": ban.expires.map { .string($0.forPrograms) } ?? .null,
        ]
    }
}

/// `latchd bans remove`: removes a ban.
struct RemoveBan: ExecutableCommand {
    let configurationPath: String?
    let network: String

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        try await administration.withStores { try await $0.bans.remove(network) }
        try Output.lines(["Removed the ban."])
        return .done
    }
}
