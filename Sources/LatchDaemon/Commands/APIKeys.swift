import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import LatchGateway
import Primitives
import Terminal

/// `latchd api-keys list`: prints the API keys.
struct ListAPIKeys: ExecutableCommand {
    let configurationPath: String?
    let email: String?
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let keys = try await administration.withStores { stores in
            let person = if let email { try await stores.people.require(email).id } else { nil as UUID? }
            return try await stores.apiKeys.list(of: person)
        }
        if isJSON {
            try Output.json(.array(keys.map(json)))
        } else if keys.isEmpty {
            try Output.lines(["No keys."])
        } else {
            var table = Table(["ID", "E-MAIL", "NAME", "SCOPES", "CREATED", "LAST USED", "EXPIRES"])
            for key in keys {
                table.add([
                    key.id.uuidString.lowercased(), (key.email ?? "(removed)").printable, key.name.printable,
                    key.scopes.joined(separator: " "), key.created.forPeople, key.lastUsed?.forPeople ?? "never",
                    key.expires?.forPeople ?? "never",
                ])
            }
            try Output.lines(table.lines { $0 })
        }
        return .done
    }

    private func json(_ key: APIKey) -> JSONValue {
        [
            "id": .string(key.id.uuidString.lowercased()), "personId": .string(key.person.uuidString.lowercased()),
            "email": key.email.map(JSONValue.string) ?? .null, "name": .string(key.name),
            "scopes": .array(key.scopes.map(JSONValue.string)), "createdAt": .string(key.created.forPrograms),
            "lastUsedAt": key.lastUsed.map { .string($0.forPrograms) } ?? .null,
            "expiresAt": key.expires.map { .string($0.forPrograms) } ?? .null,
        ]
    }
}

/// `latchd api-keys revoke`: revokes one API key, or all of a person.
struct RevokeAPIKeys: ExecutableCommand {
    enum Which: Sendable {
        case one(String)
        case person(String)
    }

    let configurationPath: String?
    let which: Which

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let count = try await administration.withStores { stores in
            switch which {
            case .one(let text):
                guard let id = UUID(uuidString: text) else {
                    throw GatewayError(
                        .unknownKey, "'\(text.printable)' is not the id of a key. List the keys: latchd api-keys list")
                }
                try await stores.apiKeys.revoke(id)
                return 1
            case .person(let email):
                return try await stores.apiKeys.revokeAll(of: stores.people.require(email).id)
            }
        }
        try Output.lines([count == 1 ? "Revoked 1 key." : "Revoked \(count) keys."])
        return .done
    }
}
