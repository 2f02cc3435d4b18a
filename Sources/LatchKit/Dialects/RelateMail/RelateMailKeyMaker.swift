/// Makes a person's key with the access token of the identity provider, which is not needed after that.
///
/// Source: RM-6, RM-7; contract of Relate Mail, rules 7 and 8.
struct RelateMailKeyMaker: Sendable {
    let dialect: RelateMailDialect
    let line: ServerLine
    let token: Secret
    let scopes: [String]?

    /// Who the person is, then a key for them.
    func grant() async throws -> Grant {
        let identity = try await identity()
        let name = KeyName(line.device)
        var grant: Grant
        do {
            grant = try await key(name)
        } catch {
            await takeBack(name, unless: error)
            throw error
        }
        grant.identity = identity
        guard dialect.canCall(with: grant.scopes ?? []) else {
            await revoke(grant.keyID ?? "")
            throw LatchError(
                .serverRefused,
                "Login failed: \(line.address) made a key that may not call it. Ask its operator; the key was revoked.")
        }
        return grant
    }

    private func identity() async throws -> Identity {
        let answer = try await send(dialect.identity)
        if let identity = dialect.identity(from: answer) { return identity }
        switch answer.status {
        case .unauthorized where ForeignAnswer.reason(for: answer, from: line.address, expectsJSON: true) == nil:
            throw LatchError(
                .serverRefused,
                "Login failed: \(line.address) does not take the token of its identity provider "
                    + "'\(dialect.provider?.issuer ?? "")'. Ask its operator: the access token must be one that the server "
                    + "can check, made for it.")
        case .internalServerError:
            throw LatchError(
                .serverError,
                "Login failed: \(line.address) has a fault of its own (status \(answer.status)). If that stays so, ask its "
                    + "operator whether the provider's access token tells the e-mail address, which it needs.")
        default: throw dialect.refusal(answer, line.address, "Login failed")
        }
    }

    private func key(_ name: KeyName) async throws -> Grant {
        if scopes == RelateMailDialect.leastScopes {
            let answer = try await send(dialect.makeAppKey(device: name.text))
            // Servers from before the short way make the same key by the long one.
            guard [.notFound, .methodNotAllowed].contains(answer.status) else {
                return try dialect.key(from: answer, of: line.address)
            }
        }
        let answer = try await send(
            dialect.makeKey(name: name.text, scopes: scopes ?? RelateMailDialect.allScopes))
        // An older server knows fewer scopes and refuses the list; without one it gives all that it has.
        if scopes == nil, answer.status == .badRequest, dialect.words(in: answer)?.hasPrefix("Invalid scope") == true {
            return try dialect.key(
                from: try await send(dialect.makeKey(name: name.text, scopes: nil)), of: line.address)
        }
        return try dialect.key(from: answer, of: line.address)
    }

    private func send(_ request: DialectRequest) async throws -> ClientResponse {
        var request = request
        request.headers["Authorization"] = "Bearer " + token.reveal()
        return try await line.send(request)
    }

    /// An answer that did not come may have been a key: it is looked for by its name, which no other has.
    private func takeBack(_ name: KeyName, unless error: any Error) async {
        if let error = error as? LatchError, [.serverRefused, .rateLimited].contains(error.code) { return }
        await Task {
            guard let answer = try? await send(dialect.keyList),
                let keys = try? dialect.keys(from: answer, of: line.address)
            else { return }
            for key in keys where name.isName(of: key) { _ = try? await send(dialect.revokeKey(key.id)) }
        }.value
    }

    private func revoke(_ id: String) async {
        await Task { _ = try? await send(dialect.revokeKey(id)) }.value
    }
}
