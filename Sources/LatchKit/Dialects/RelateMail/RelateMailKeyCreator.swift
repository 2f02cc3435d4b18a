import Crypto
import HTTPClient
import HTTPMessages

/// Creates a key for a person with the access token of the identity provider. The token is not needed afterwards.
///
/// Source: RM-6, RM-7; docs/protocols/relate-mail.md, Sign-in at the provider and Access tokens.
struct RelateMailKeyCreator: Sendable {
    let dialect: RelateMailDialect
    let connection: UnauthenticatedConnection
    let token: Secret
    let scopes: [String]?
    let recordKey: @Sendable (Identity) async throws -> KeyIntent

    /// Requests the person's identity, records the name of the key, and then creates the key.
    func grant() async throws -> Grant {
        let identity = try await identity()
        let intent = try await recordKey(identity)
        var grant: Grant
        do {
            grant = try await key(intent.name)
            try intent.keyMade()
        } catch {
            await discard(intent, after: error)
            throw error
        }
        grant.identity = identity
        let made = CreatedKey(intent: intent, id: grant.keyID ?? "", revoke: revoke(grant))
        grant.made = made
        guard dialect.canCall(with: grant.scopes ?? []) else {
            await made.discard()
            throw LatchError(
                .serverRefused,
                "Login failed: \(connection.address) created a key without access to its API. The key was revoked. "
                    + "Ask its operator.")
        }
        return grant
    }

    private func identity() async throws -> Identity {
        let response = try await send(dialect.identity)
        if let identity = dialect.identity(from: response) { return identity }
        switch response.status {
        case .unauthorized
        where InterceptedResponse.reason(for: response, from: connection.address, expectsJSON: true) == nil:
            throw LatchError(
                .serverRefused,
                "Login failed: \(connection.address) does not accept the token of its identity provider "
                    + "'\(dialect.provider?.issuer ?? "")'. Ask its operator: the server must be able to verify the "
                    + "access token and must be its audience.")
        case .internalServerError:
            throw LatchError(
                .serverError,
                "Login failed: \(connection.address) \(response.status.failureDescription). If the error "
                    + "persists, ask its operator whether the provider's access token contains the required e-mail "
                    + "address.")
        default: throw dialect.refusal(response, from: connection.address, failure: "Login failed")
        }
    }

    private func key(_ name: KeyName) async throws -> Grant {
        if scopes == RelateMailDialect.leastScopes {
            let response = try await send(dialect.makeAppKey(device: name.text))
            // Older servers lack this route. The general route creates the same key.
            guard [.notFound, .methodNotAllowed].contains(response.status) else {
                return try dialect.key(from: response, of: connection.address)
            }
        }
        let response = try await send(
            dialect.makeKey(name: name.text, scopes: scopes ?? RelateMailDialect.allScopes))
        // An older server supports fewer scopes and refuses the list. Without a list it grants all scopes that it
        // supports.
        if scopes == nil, response.status == .badRequest,
            dialect.errorMessage(in: response)?.hasPrefix("Invalid scope") == true
        {
            return try dialect.key(
                from: try await send(dialect.makeKey(name: name.text, scopes: nil)), of: connection.address)
        }
        return try dialect.key(from: response, of: connection.address)
    }

    private func send(_ request: DialectRequest) async throws -> ClientResponse {
        var request = request
        request.headers["Authorization"] = "Bearer " + token.reveal()
        return try await connection.send(request)
    }

    /// Revokes a key after a failed request. The server may have created it even if no response arrived, so the key is
    /// looked up by its unique name.
    ///
    /// If the key is not found, the server may still create it later, so its record stays.
    private func discard(_ intent: KeyIntent, after error: any Error) async {
        if let error = error as? LatchError, [.serverRefused, .rateLimited].contains(error.code) {
            return await intent.resolve(nil)
        }
        await Task {
            guard let response = try? await send(dialect.keyList),
                let keys = try? dialect.keys(from: response, of: connection.address).filter(intent.name.isName),
                !keys.isEmpty
            else { return intent.release() }
            for key in keys where !(await isRevoked(key.id, "Bearer " + token.reveal())) { return intent.release() }
            await intent.resolve(nil)
        }.value
    }

    /// Returns a function that revokes the key with the access token that created it or, if that fails, with the key
    /// itself.
    private func revoke(_ grant: Grant) -> @Sendable () async -> Bool {
        { [id = grant.keyID ?? "", key = grant.token] in
            if await isRevoked(id, "Bearer " + token.reveal()) { return true }
            return await isRevoked(id, dialect.authorization(key)["Authorization"] ?? "")
        }
    }

    private func isRevoked(_ id: String, _ authorization: String) async -> Bool {
        var request = dialect.revokeKey(id)
        request.headers["Authorization"] = authorization
        let hasty = connection.connection(to: connection.address, timeout: Session.revocationBound)
        guard let response = try? await hasty.send(request) else { return false }
        return dialect.revocationError(response, to: request, at: connection.address) == nil
    }
}
