import Database
import FoundationEssentials
import HTTPClient
import HTTPMessages

extension AccountStore {
    /// Finishes sign-ins and sign-outs that a crash interrupted, and revokes orphaned keys on servers. Skips
    /// accounts that another program is working on.
    ///
    /// Requests to the servers are sent first and in parallel, because the tokens are removed afterwards. A failure at
    /// one account does not stop the others.
    ///
    /// - Parameters:
    ///   - device: The device in whose name the requests are sent.
    ///   - bound: The timeout for the servers of all accounts together.
    /// - Throws: A code of the storage; a code of the secret store when it is not open.
    func recover(as device: Device, within bound: Duration) async throws {
        let end = ContinuousClock.now + bound
        let rows = try await LatchError.converting { try await database.read { try $0.all(Self.unfinished) } }
        try await requireStore(for: rows.first)
        await each(rows) { try await self.finish($0, as: device, until: end) }
        let holders = try await LatchError.converting { try await database.read { try $0.all(Self.withOrphanedKeys) } }
        try await requireStore(for: holders.first)
        await each(holders) { try await self.revokeOrphanedKeys(of: $0, as: device, until: end) }
        try await removeOldIntents()
    }

    private func each(_ ids: [UUID], _ work: @escaping @Sendable (UUID) async throws -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask { [locks] in
                    guard let lock = try? locks.lockIfFree(id) else { return }
                    defer { lock.release() }
                    try? await work(id)
                }
            }
        }
    }

    /// Opens the secret store before several tasks read it, so that a passphrase is asked for at most once.
    private func requireStore(for id: UUID?) async throws {
        guard let id else { return }
        do {
            _ = try await LatchError.converting { try await secrets.read(Self.tokenKey(id)) }
        } catch let error as LatchError where Self.closedStore.contains(error.code) {
            throw error
        } catch {
            // The secret of another account may be readable.
        }
    }

    private static let closedStore: Set<LatchError.Code> = [
        .secretStoreLocked, .secretStoreAbsent, .wrongPassphrase, .pinRequired,
    ]

    /// Finishes what a crash interrupted at one account. The caller holds the account's lock.
    private func finish(_ id: UUID, as device: Device, until end: ContinuousClock.Instant) async throws {
        guard let record = try await record(id), [.pending, .leaving, .wiping].contains(record.stage) else { return }
        try await revokeSession(id, as: device, until: end)
        if record.stage == .wiping { try await finishWiping(id) } else { try await finishRemoval(id) }
    }

    private static let place = Statement(
        "SELECT server_url, dialect, details, api_key_id FROM accounts WHERE id = ?", UUID.self
    ) {
        row throws(DatabaseError) in
        (
            address: try row.get(0) as String, dialect: try row.get(1) as String, details: try row.get(2) as String,
            keyID: try row.get(3) as String?
        )
    }

    /// Ends the session of a token that is about to be removed, if the server responds. Does nothing when there is no
    /// token. A key that could not be revoked is recorded, because keys do not expire.
    ///
    /// The caller holds the account's lock.
    private func revokeSession(_ id: UUID, as device: Device, until end: ContinuousClock.Instant) async throws {
        guard let connection = try await authenticatedConnection(id, as: device, until: end) else { return }
        try await connection.client.closeAfter { _ in
            let keyID = connection.tokens.keyID ?? connection.keyID
            guard !connection.isPersonsOwn, let request = connection.dialect.signOut(keyID: keyID) else { return }
            let response = try? await connection.ask(request)
            let isRevoked =
                response.map { connection.dialect.revocationError($0, to: request, at: connection.address) == nil }
                ?? false
            guard let keyID, connection.dialect is any KeyDialect else { return }
            if isRevoked { try await removeRecord(.id(keyID), of: id) } else { try await record([.id(keyID)], of: id) }
        }
    }

    /// Revokes the keys that a crash orphaned on an account's server, if the server responds.
    ///
    /// The caller holds the account's lock.
    private func revokeOrphanedKeys(of id: UUID, as device: Device, until end: ContinuousClock.Instant) async throws {
        guard let connection = try await authenticatedConnection(id, as: device, until: end) else { return }
        if let dialect = connection.dialect as? any KeyDialect {
            _ = try? await revokeOrphanedKeys(of: id, dialect: dialect, at: connection.address) {
                try await connection.ask($0)
            }
        }
        await connection.client.close()
    }

    /// A connection to an account's server, with the token from the secret store.
    private struct AuthenticatedConnection: Sendable {
        let dialect: any Dialect
        let address: ServerAddress
        let tokens: SessionTokens
        let keyID: String?
        let isPersonsOwn: Bool
        let extra: HTTPHeaders
        let client: HTTPClient
        /// The deadline for all responses.
        let end: ContinuousClock.Instant

        func ask(_ request: DialectRequest) async throws -> ClientResponse {
            let bound = try end.timeLeft(toAsk: address)
            return try await PasswordSignIn.send(
                dialect.authorize(request, with: tokens.lasting, besides: extra), to: address, with: client,
                timeout: bound)
        }
    }

    private func authenticatedConnection(_ id: UUID, as device: Device, until end: ContinuousClock.Instant) async throws
        -> AuthenticatedConnection?
    {
        let stored = try await LatchError.converting { try await secrets.read(Self.tokenKey(id)) }
        let place = try await LatchError.converting { try await database.read { try $0.first(Self.place, id) } }
        guard let stored, let place,
            let dialect = dialects.named(
                DialectID(rawValue: place.dialect), details: AccountSchema.details(place.details)),
            let address = try? ServerAddress(place.address), let options = try? await self.connection(of: id),
            let client = try? options.client(userAgent: device.userAgent, home: address)
        else { return nil }
        return AuthenticatedConnection(
            dialect: dialect, address: address, tokens: SessionTokens(stored: stored), keyID: place.keyID,
            isPersonsOwn: AccountSchema.details(place.details)[SignedIn.ownKeyEntry] != nil,
            extra: options.extraHeaders, client: client, end: end)
    }
}
