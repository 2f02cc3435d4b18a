import CommandLineTool
import Crypto
import FoundationEssentials
import GatewayConfiguration
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
    let changes: [ClientSettingChange]
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let keys = try keysPath.map(Self.keys)
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let (client, secret) = try await administration.withStores { stores in
            for redirect in redirects + signOut.redirects
            where stores.settings.ownHost(ofRedirect: redirect) == .server {
                StandardOutput.printMessage(
                    "Warning: the redirect '\(redirect.printable)', " + GatewaySettings.ownRedirectWarning)
            }
            var settings = ClientSettings()
            try settings.apply(
                changes, in: stores.settings, isConfidential: isConfidential || keys != nil)
            let added = try await stores.clients.add(
                name: name, redirects: redirects, isConfidential: isConfidential, allowsDevice: allowsDevice,
                requiresProof: requiresProof, keys: keys, signOut: signOut, accessTokens: accessTokens,
                settings: settings)
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
            var table = Table([
                "ID", "NAME", "KIND", "ADDED", "DEVICES", "TOKENS", "SETTINGS", "SIGN-OUT NOTICE", "REDIRECTS",
            ])
            for client in clients {
                table.add([
                    client.id, client.name.printable, client.kind,
                    client.created?.forPeople ?? "in the configuration", client.allowsDevice ? "yes" : "no",
                    client.accessTokens.rawValue + (client.requiresProof ? ", DPoP" : ""),
                    client.shownSettings.isEmpty ? "defaults" : client.shownSettings.joined(separator: "; "),
                    client.signOut.address ?? "none",
                    client.redirects.joined(separator: " "),
                ])
            }
            try Output.lines(table.lines { $0 })
        }
        return .done
    }
}

/// `latchd clients show`: prints one client.
struct ShowClient: ExecutableCommand {
    let configurationPath: String?
    let id: String
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        guard let client = try await administration.withStores({ try await $0.clients.client(id) }) else {
            throw GatewayError(
                .unknownClient, "No client has the id '\(id.printable)'; 'latchd clients list' shows them.")
        }
        if isJSON {
            try Output.json(client.json())
        } else {
            try Output.lines(client.lines)
        }
        return .done
    }
}

/// `latchd clients set`: changes the settings of a client.
struct SetClient: ExecutableCommand {
    let configurationPath: String?
    let id: String
    let changes: [ClientSettingChange]
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let client = try await administration.withStores { stores in
            let server = stores.settings
            let isConfidential = try await stores.clients.client(id)?.isConfidential ?? false
            let client = try await stores.clients.set(id) {
                try $0.apply(changes, in: server, isConfidential: isConfidential)
            }
            stores.audit.record(AuditEvent(.clientChanged, client: client.id))
            return client
        }
        if isJSON {
            try Output.json(client.json())
        } else {
            try Output.lines(["Changed the client '\(client.name.printable)'."] + client.lines)
        }
        return .done
    }
}

/// `latchd clients approve` and `latchd clients refuse`: decides about a client that registered itself.
struct DecideClient: ExecutableCommand {
    let configurationPath: String?
    let id: String
    let approval: ClientApproval
    /// The digest of the client that the administrator saw. Nil to decide about the client as it is.
    let digest: String?

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let isApproved = approval == .approved
        let client = try await administration.withStores { stores in
            let (client, isChanged) = try await stores.clients.decide(id, approval, ifStill: digest)
            if isChanged {
                stores.audit.record(AuditEvent(isApproved ? .clientApproved : .clientRefused, client: client.id))
            }
            return client
        }
        let effect = isApproved ? "People can sign in to it." : "Nobody can sign in to it, and its sessions ended."
        try Output.lines(
            ["\(isApproved ? "Approved" : "Refused") the client '\(client.name.printable)'. \(effect)"] + client.lines)
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

/// `latchd clients remove-unverified`: removes the clients that registered themselves and that no administrator has
/// approved, and ends their sessions.
struct RemoveUnverifiedClients: ExecutableCommand {
    let configurationPath: String?

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let count = try await administration.withStores { stores in
            var count = 0
            try await stores.clients.removeUnverified { client in
                stores.audit.record(AuditEvent(.clientRemoved, reason: "unverified", client: client))
                count += 1
            }
            return count
        }
        try Output.lines(["Removed \(count) unverified \(count == 1 ? "client" : "clients")."])
        return .done
    }
}

extension ClientApproval {
    /// The state in output for programs.
    fileprivate var word: String {
        switch self {
        case .notRequired: "not-required"
        case .approved: "approved"
        case .waiting: "waiting"
        case .refused: "refused"
        }
    }
}

extension RegisteredClient {
    /// What the client is, for people.
    fileprivate var kind: String {
        let state =
            switch registration?.approval {
            case nil: ""
            case .notRequired: ", unverified"
            case .approved: ", approved"
            case .waiting: ", waits for approval"
            case .refused: ", refused"
            }
        return (isConfidential ? "confidential" : "public") + state
    }

    /// The settings that differ from the defaults, named as in the configuration.
    fileprivate var shownSettings: [String] {
        ClientSetting.changed(in: settings).map { setting, words in
            "\(setting.name): \(words.joined(separator: ", ").printable)"
        }
    }

    /// The client for people, a line for each property.
    fileprivate var lines: [String] {
        let added = created?.forPeople ?? "in the configuration"
        return [
            "  id         \(id)", "  name       \(name.printable)", "  kind       \(kind)", "  added      \(added)",
        ]
            + redirects.map { "  redirect   \($0.printable)" }
            + signOut.redirects.map { "  sign-out   \($0.printable)" }
            + ["  devices    \(allowsDevice ? "yes" : "no")", "  digest     \(identityDigest)"]
            + (shownSettings.isEmpty ? ["  settings   defaults"] : shownSettings.map { "  setting    \($0)" })
    }

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
            .init("approval", registration.map { .string($0.approval.word) } ?? .null),
            .init("digest", .string(identityDigest)),
            .init(
                "settings",
                .object(
                    ClientSetting.all.map { setting in
                        let words = setting.words(of: settings)
                        return .init(
                            setting.name,
                            setting.isList ? .array(words.map(JSONValue.string)) : .string(words.first ?? ""))
                    })),
            .init("lastUsedAt", registration?.lastUsed.map { .string($0.forPrograms) } ?? .null),
            .init("createdAt", created.map { .string($0.forPrograms) } ?? .null),
        ]
        return .object(members + (secret.map { [.init("secret", .string($0.reveal()))] } ?? []))
    }
}
