import Database
import FoundationEssentials
import HTTPClient

extension AccountStore {
    /// The longest that a start waits for the server of an account that a crash left half signed in or half signed out.
    private static let startBound = Duration.seconds(3)

    private static let place = Statement(
        "SELECT server_url, dialect, details, api_key_id FROM accounts WHERE id = ?", UUID.self
    ) {
        row throws(DatabaseError) in
        (
            address: try row.get(0) as String, dialect: try row.get(1) as String, details: try row.get(2) as String,
            keyID: try row.get(3) as String?
        )
    }

    /// Ends the session of a token that is about to be removed, as far as its server answers; where there is none,
    /// nothing is done. A key that could not be revoked is noted, since it has no end of its own.
    ///
    /// The caller holds the account's lock.
    func sayGoodbye(_ id: UUID, as device: Device) async throws {
        guard let line = try await lineToSay(id, as: device) else { return }
        guard !line.isPersonsOwn else { return await line.client.close() }
        let keyID = line.tokens.keyID ?? line.keyID
        if let request = line.dialect.signOut(keyID: keyID) {
            let answer = try? await line.ask(request)
            let isRevoked = answer.map { line.hasEnded($0, request) } ?? false
            if let keyID, line.dialect is any KeyDialect {
                if isRevoked { try await forget(.id(keyID), of: id) } else { try await note([.id(keyID)], of: id) }
            }
        }
        await line.client.close()
    }

    /// Revokes the keys that a crash left over on an account's server, as far as that answers.
    ///
    /// The caller holds the account's lock.
    func revokeLeftovers(of id: UUID, as device: Device) async throws {
        guard let line = try await lineToSay(id, as: device) else { return }
        if let dialect = line.dialect as? any KeyDialect {
            _ = try? await revokeLeftovers(of: id, dialect, at: line.address) { try await line.ask($0) }
        }
        await line.client.close()
    }

    /// A line to an account's server with the token that is in the secret store.
    private struct Line: Sendable {
        let dialect: any Dialect
        let address: ServerAddress
        let tokens: SessionTokens
        let keyID: String?
        let isPersonsOwn: Bool
        let extra: HTTPHeaders
        let client: HTTPClient

        func ask(_ request: DialectRequest) async throws -> ClientResponse {
            var request = request
            for field in dialect.authorization(tokens.lasting, besides: extra) {
                request.headers[field.name] = field.value
            }
            return try await PasswordSignIn.send(
                request, to: address, with: client, timeout: AccountStore.startBound)
        }

        /// Whether the server itself says that it has ended what was asked for; a page in its place says nothing.
        func hasEnded(_ answer: ClientResponse, _ request: DialectRequest) -> Bool {
            guard case .answered = dialect.verdict(on: answer, to: request.path, at: request.base ?? address) else {
                return false
            }
            return dialect.notEnded(answer, at: address) == nil
        }
    }

    private func lineToSay(_ id: UUID, as device: Device) async throws -> Line? {
        let stored = try await LatchError.telling { try await secrets.read(Self.tokenKey(id)) }
        let place = try await LatchError.telling { try await database.read { try $0.first(Self.place, id) } }
        guard let stored, let place,
            let dialect = Dialects.named(
                DialectID(rawValue: place.dialect), details: AccountSchema.details(place.details)),
            let address = try? ServerAddress(place.address), let connection = try? await connection(of: id),
            let client = try? connection.client(userAgent: device.userAgent, home: address)
        else { return nil }
        return Line(
            dialect: dialect, address: address, tokens: SessionTokens(stored: stored), keyID: place.keyID,
            isPersonsOwn: AccountSchema.details(place.details)[SignedIn.ownMark] != nil, extra: connection.extraHeaders,
            client: client)
    }
}
