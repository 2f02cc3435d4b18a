import Crypto
import Database
import FoundationEssentials
import HTTPMessages

extension AccountStore {
    /// Returns the endpoints of an account.
    ///
    /// - Throws: ``LatchError/Code/storageDamaged`` when they cannot be read.
    func endpoints(of id: UUID) async throws -> EndpointSettings {
        let text = try await LatchError.converting {
            try await database.read { try $0.first(Self.selectEndpoints, id) }
        }
        return try Self.endpoints(text)
    }

    /// Reads endpoints from their row.
    static func endpoints(_ text: String?) throws(LatchError) -> EndpointSettings {
        guard let text else { return EndpointSettings() }
        guard let settings = try? JSON.decode(EndpointSettings.self, from: Array(text.utf8)) else {
            throw LatchError(
                .storageDamaged,
                "The stored addresses of this account cannot be read. Remove them by signing out, and sign in again.")
        }
        return settings
    }

    /// Changes the endpoints of an account in one transaction.
    ///
    /// - Throws: The error of `body`, in which case nothing changes; ``LatchError/Code/noAccount``.
    func changeEndpoints<Value: Sendable>(
        of id: UUID, _ body: @escaping @Sendable (inout EndpointSettings) throws -> Value
    ) async throws -> Value {
        try await change { connection in
            guard try connection.first(Self.oneAccount, id) != nil else { throw Self.missing }
            var settings = try Self.endpoints(try connection.first(Self.selectEndpoints, id))
            let value = try body(&settings)
            _ = try connection.run(Self.writeEndpoints, id, String(decoding: JSON.encode(settings), as: UTF8.self))
            return value
        }
    }

    /// Returns the connection options of an endpoint, including the secrets.
    func connection(of endpoint: Endpoint) async throws -> ConnectionOptions {
        guard endpoint.connection.hasSecrets else { return try ConnectionOptions(endpoint.connection, .init()) }
        let secret = try await LatchError.converting { try await secrets.read(Self.connectionKey(endpoint.id)) }
        guard let secret else {
            throw LatchError(
                .secretStoreFailed,
                "The secret store no longer contains the extra headers or passphrase of \(endpoint.address). "
                    + "Remove that address and add it again.")
        }
        guard let parsed = secret.withBytes({ try? JSON.decode(SecretConnection.self, from: $0) }) else {
            throw ConnectionOptions.unreadable
        }
        return try ConnectionOptions(endpoint.connection, parsed)
    }

    /// Adds an endpoint and stores its secrets.
    ///
    /// The row comes first, because sign-out finds the secrets through it. After a crash between the two steps, the
    /// endpoint is not used, and its error says to add it again.
    func add(_ endpoint: Endpoint, isLocal: Bool, person: String, secret: SecretConnection, to id: UUID) async throws {
        // Setting a PIN seals the secrets of an account under this lock.
        let lock = try await locks.lock(id)
        defer { lock.release() }
        try await changeEndpoints(of: id) { settings in
            guard !settings.all.contains(where: { $0.address == endpoint.address }) else {
                throw LatchError(
                    .invalidRequest, "\(endpoint.address) is already an address of this account. Remove it first.")
            }
            guard settings.all.count < Endpoint.maximum else {
                throw LatchError(
                    .invalidRequest,
                    "An account can have \(Endpoint.maximum) more addresses at most. Remove one of them first.")
            }
            guard !isLocal || settings.local == nil else {
                throw LatchError(
                    .invalidRequest,
                    "The account has the local address \(settings.all[0].address) already. Remove it first.")
            }
            settings.person = person
            if isLocal { settings.local = endpoint } else { settings.external.append(endpoint) }
        }
        guard endpoint.connection.hasSecrets else { return }
        do {
            try await LatchError.converting {
                try await secrets.write(Secret(bytes: JSON.encode(secret)), for: Self.connectionKey(endpoint.id))
            }
        } catch {
            _ = try? await changeEndpoints(of: id) { $0.remove(endpoint.address) }
            throw error
        }
    }

    /// Removes the endpoints of an account whose secrets are gone.
    func removeEndpointsWithSecrets(of id: UUID) async throws {
        guard try await endpoints(of: id).all.contains(where: \.connection.hasSecrets) else { return }
        try await changeEndpoints(of: id) { settings in
            if settings.local?.connection.hasSecrets == true { settings.local = nil }
            settings.external.removeAll { $0.connection.hasSecrets }
        }
    }

    /// Removes the secrets of endpoints.
    func removeSecrets(of endpoints: [Endpoint]) async throws {
        for endpoint in endpoints where endpoint.connection.hasSecrets {
            try await LatchError.converting { try await secrets.remove(Self.connectionKey(endpoint.id)) }
        }
    }

    static let selectEndpoints = Statement("SELECT settings FROM endpoints WHERE account = ?", UUID.self) {
        row throws(DatabaseError) in try row.get(0) as String
    }

    private static let writeEndpoints = Statement(
        """
        INSERT INTO endpoints (account, settings) VALUES (?, ?) \
        ON CONFLICT (account) DO UPDATE SET settings = excluded.settings
        """, UUID.self, String.self)
}
