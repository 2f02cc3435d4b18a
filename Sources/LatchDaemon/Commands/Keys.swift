import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import LatchGateway
import Primitives
import Terminal

/// `latchd keys list`: prints the signing keys.
struct ListKeys: ExecutableCommand {
    let configurationPath: String?
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let keys = try await administration.withStores { try await $0.signingKeys.list() }
        let now = Date()
        if isJSON {
            try Output.json(.array(keys.map { json($0, now) }))
        } else if keys.isEmpty {
            try Output.lines(["No keys yet. The first key is created when a token is signed."])
        } else {
            try Output.lines(table(keys, now).lines { $0 })
        }
        return .done
    }

    private func table(_ keys: [SigningKeySummary], _ now: Date) -> Table {
        var table = Table(["ID", "ALGORITHM", "CREATED", "SIGNS FROM", "NEEDED UNTIL", "STATE"])
        for key in keys {
            table.add([
                key.id.printable, key.algorithm.printable, key.created.forPeople, key.signsFrom.forPeople,
                key.neededUntil.forPeople, key.state(at: now).rawValue,
            ])
        }
        return table
    }

    private func json(_ key: SigningKeySummary, _ now: Date) -> JSONValue {
        [
            "id": .string(key.id), "algorithm": .string(key.algorithm), "createdAt": .string(key.created.forPrograms),
            "signsFrom": .string(key.signsFrom.forPrograms), "neededUntil": .string(key.neededUntil.forPrograms),
            "state": .string(key.state(at: now).rawValue),
        ]
    }
}

/// `latchd keys rotate`: creates a new signing key.
struct RotateKeys: ExecutableCommand {
    let configurationPath: String?
    let isCompromised: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let key = try await administration.withStores {
            try await $0.signingKeys.rotate(removingOthers: isCompromised)
        }
        let beginning = key.isSigning ? "signs from now on" : "signs from \(key.signsFrom.forPeople)"
        try Output.lines(["Created the key \(key.id), which \(beginning)."])
        return .done
    }
}
