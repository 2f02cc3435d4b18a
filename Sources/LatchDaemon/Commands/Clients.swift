import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import Primitives
import Terminal

/// `latchd clients add`: adds a client of the authorization server.
struct AddClient: ExecutableCommand {
    let configurationPath: String?
    let name: String
    let redirects: [String]
    let isConfidential: Bool
    let allowsDevice: Bool
    let keysPath: String?
    let requiresProof: Bool
    let signOut: ClientSignOutSettings
    let accessTokens: AccessTokenForm
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let keys = try keysPath.map(Self.keys)
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let (client, secret) = try await administration.withStores { stores in
            let added = try await stores.clients.add(
                name: name, redirects: redirects, isConfidential: isConfidential, allowsDevice: allowsDevice,
                requiresProof: requiresProof, keys: keys, signOut: signOut, accessTokens: accessTokens)
            stores.audit.record(AuditEvent(.clientAdded, client: added.client.id))
            return added
        }
        if isJSON {
            try Output.json(client.json(secret: secret))
        } else {
            try Output.lines(
                ["Added the client '\(client.name.printable)'.", "  id      \(client.id)"]
                    + (secret.map { ["  secret  \($0.reveal()) (it cannot be shown again)"] } ?? []))
        }
        return .done
    }
}

extension AddClient {
    /// Reads the public keys of a client.
    private static func keys(at path: String) throws -> ClientKeys {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.notFound, "Could not read '\(path.printable)'. Check that the file exists and is readable.")
        }
        guard let keys = ClientKeys(String(decoding: data, as: UTF8.self)) else {
            throw Failure(
                .badInput,
                "Could not use '\(path.printable)': it must be a JSON Web Key Set with 1 to \(ClientKeys.maximumCount) "
                    + "public keys (RSA, P-256 or Ed25519) of at most \(ClientKeys.maximumBytes) bytes.")
        }
        return keys
    }
}

/// `latchd clients list`: prints the clients of the configuration and the added ones.
struct ListClients: ExecutableCommand {
    let configurationPath: String?
    let isJSON: Bool
    let isIDsOnly: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let clients = try await administration.withStores { try await $0.clients.list() }
        if isIDsOnly {
            try Output.lines(clients.map(\.id))
        } else if isJSON {
            try Output.json(.array(clients.map { $0.json() }))
        } else if clients.isEmpty {
            try Output.lines(["No clients. Add one: latchd clients add --name NAME --redirect ADDRESS"])
        } else {
            var table = Table(["ID", "NAME", "KIND", "ADDED", "DEVICES", "TOKENS", "SIGN-OUT", "REDIRECTS"])
            for client in clients {
                table.add([
                    client.id, client.name.printable,
                    (client.isConfidential ? "confidential" : "public")
                        + (client.registration == nil ? "" : ", unverified"),
                    client.created?.forPeople ?? "in the configuration", client.allowsDevice ? "yes" : "no",
                    client.accessTokens.rawValue + (client.requiresProof ? ", DPoP" : ""),
                    client.signOut.address ?? "not told",
                    client.redirects.joined(separator: " "),
                ])
            }
            try Output.lines(table.lines { $0 })
        }
        return .done
    }
}

/// `latchd clients remove`: removes an added client and ends its sessions.
struct RemoveClient: ExecutableCommand {
    let configurationPath: String?
    let id: String

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let count = try await administration.withStores { stores in
            let count = try await stores.clients.remove(id)
            stores.audit.record(AuditEvent(.clientRemoved, client: id))
            return count
        }
        try Output.lines(["Removed the client and ended \(count) \(count == 1 ? "session" : "sessions")."])
        return .done
    }
}

extension RegisteredClient {
    /// The client in a form for programs. `secret` is the one that has just been created.
    fileprivate func json(secret: Secret? = nil) -> JSONValue {
        let members: [JSONValue.Member] = [
            .init("id", .string(id)), .init("name", .string(name)), .init("isConfidential", .bool(isConfidential)),
            .init("authentication", keys != nil ? "private_key_jwt" : secretHash != nil ? "client_secret" : "none"),
            .init("redirects", .array(redirects.map(JSONValue.string))), .init("allowsDevice", .bool(allowsDevice)),
            .init("requiresDPoP", .bool(requiresProof)), .init("accessTokens", .string(accessTokens.rawValue)),
            .init("signOutRedirects", .array(signOut.redirects.map(JSONValue.string))),
            .init("signOutAddress", signOut.address.map(JSONValue.string) ?? .null),
            .init("isConfigured", .bool(created == nil)),
            .init("isRegisteredByItself", .bool(registration != nil)),
            .init("lastUsedAt", registration?.lastUsed.map { .string($0.forPrograms) } ?? .null),
            .init("createdAt", created.map { .string($0.forPrograms) } ?? .null),
        ]
        return .object(members + (secret.map { [.init("secret", .string($0.reveal()))] } ?? []))
    }
}
