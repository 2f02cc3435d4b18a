/// Creates a key for a person with the access token of the identity provider. The token is not needed afterwards.
///
/// Source: RM-6, RM-7; contract of Relate Mail, rules 7 and 8.
struct RelateMailKeyMaker: Sendable {
    let dialect: RelateMailDialect
    let connection: UnauthenticatedConnection
    let token: Secret
    let scopes: [String]?
    let noteKey: @Sendable (Identity) async throws -> KeyIntent

    /// Requests the person's identity, records the name of the key, and then creates the key.
    func grant() async throws -> Grant {
        let identity = try await identity()
        let note = try await noteKey(identity)
        var grant: Grant
        do {
            grant = try await key(note.name)
            try note.keyMade()
        } catch {
            await discard(note, after: error)
            throw error
        }
        grant.identity = identity
        let made = CreatedKey(note: note, id: grant.keyID ?? "", revoke: revoke(grant))
        grant.made = made
        guard dialect.canCall(with: grant.scopes ?? []) else {
            await made.discard()
            throw LatchError(
                .serverRefused,
                "Login failed: \(connection.address) made a key that may not call it. Ask its operator; the key was revoked."
            )
        }
        return grant
    }

    private func identity() async throws -> Identity {
        let answer = try await send(dialect.identity)
        if let identity = dialect.identity(from: answer) { return identity }
        switch answer.status {
        case .unauthorized
        where InterceptedResponse.reason(for: answer, from: connection.address, expectsJSON: true) == nil:
            throw LatchError(
                .serverRefused,
                "Login failed: \(connection.address) does not take the token of its identity provider "
                    + "'\(dialect.provider?.issuer ?? "")'. Ask its operator: the access token must be one that the server "
                    + "can check, made for it.")
        case .internalServerError:
            throw LatchError(
                .serverError,
                "Login failed: \(connection.address) has a fault of its own (status \(answer.status)). If that stays so, ask its "
                    + "operator whether the provider's access token tells the e-mail address, which it needs.")
        default: throw dialect.refusal(answer, connection.address, "Login failed")
        }
    }

    private func key(_ name: KeyName) async throws -> Grant {
        if scopes == RelateMailDialect.leastScopes {
            let answer = try await send(dialect.makeAppKey(device: name.text))
            // Older servers lack this route. The general route creates the same key.
            guard [.notFound, .methodNotAllowed].contains(answer.status) else {
                return try dialect.key(from: answer, of: connection.address)
            }
        }
        let answer = try await send(
            dialect.makeKey(name: name.text, scopes: scopes ?? RelateMailDialect.allScopes))
        // An older server supports fewer scopes and refuses the list. Without a list it grants all scopes that it
        // supports.
        if scopes == nil, answer.status == .badRequest,
            dialect.errorMessage(in: answer)?.hasPrefix("Invalid scope") == true
        {
            return try dialect.key(
                from: try await send(dialect.makeKey(name: name.text, scopes: nil)), of: connection.address)
        }
        return try dialect.key(from: answer, of: connection.address)
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
    private func discard(_ note: KeyIntent, after error: any Error) async {
        if let error = error as? LatchError, [.serverRefused, .rateLimited].contains(error.code) {
            return await note.settle(nil)
        }
        await Task {
            guard let answer = try? await send(dialect.keyList),
                let keys = try? dialect.keys(from: answer, of: connection.address).filter(note.name.isName),
                !keys.isEmpty
            else { return note.release() }
            for key in keys where !(await isRevoked(key.id, "Bearer " + token.reveal())) { return note.release() }
            await note.settle(nil)
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
        guard let answer = try? await hasty.send(request) else { return false }
        return dialect.revocationError(answer, to: request, at: connection.address) == nil
    }
}
