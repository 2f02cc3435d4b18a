import Database
import FoundationEssentials

extension AccountStore {
    /// The longest that a start waits for the server of an account that a crash left half signed in or half signed out.
    private static let goodbyeBound = Duration.seconds(3)

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
    /// nothing is done.
    ///
    /// The caller holds the account's lock.
    func sayGoodbye(_ id: UUID, as device: Device) async throws {
        let stored = try await LatchError.telling { try await secrets.read(Self.tokenKey(id)) }
        let place = try await LatchError.telling { try await database.read { try $0.first(Self.place, id) } }
        guard let stored, let place,
            let dialect = Dialects.named(
                DialectID(rawValue: place.dialect), details: AccountSchema.details(place.details)),
            var request = dialect.signOut(keyID: place.keyID), let address = try? ServerAddress(place.address),
            let connection = try? await connection(of: id),
            let client = try? connection.client(userAgent: device.userAgent, home: address)
        else { return }
        let token = SessionTokens(stored: stored).lasting
        for field in dialect.authorization(token, besides: connection.extraHeaders) {
            request.headers[field.name] = field.value
        }
        _ = try? await PasswordSignIn.send(request, to: address, with: client, timeout: Self.goodbyeBound)
        await client.close()
    }
}
