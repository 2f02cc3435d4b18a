import FoundationEssentials
package import GatewayCore
import OAuth

extension Bridge {
    /// Exchanges a one-time code for a session. Returns nil for every invalid code, for any reason.
    ///
    /// The code is consumed before it is checked, so that a caller with a wrong verifier cannot try another one.
    ///
    /// - Throws: ``GatewayError/Code/codeStore`` when the store does not respond; errors of the database.
    ///
    /// Source: OX-5; docs/protocols/onyx.md, One-time codes; RFC 7636 §4.6.
    package func redeem(
        _ code: OneTimeCode, verifier: String, client: RequestOrigin, token shape: TokenFormat = .opaque
    ) async throws -> SessionCredential? {
        let box = try await consume(code)
        guard let box, let record = CodeRecord(opening: box, for: code, keys), now() < record.expires else {
            metrics.exchange(.refused)
            return nil
        }
        guard let verifier = PKCE.Verifier(verifier), record.challenge.matches(verifier) else {
            return refuse(record, reason: "wrong-verifier", client: client)
        }
        return try await redeem(record, client: client, token: shape)
    }

    private func redeem(
        _ record: CodeRecord, client: RequestOrigin, token shape: TokenFormat
    ) async throws -> SessionCredential? {
        // The person may have been disabled or signed out everywhere since the code was made.
        guard let person = try await people.find(id: record.person), person.isActive,
            person.sessionEpoch == record.sessionEpoch
        else { return refuse(record, reason: "person-changed", client: client) }
        do {
            let session = try await start(
                for: person, provider: record.provider, record.providerSession, client, token: shape,
                authenticated: record.authenticated, methods: record.methods)
            metrics.exchange(.succeeded)
            return session
        } catch let error as GatewayError where error.code == .unknownPerson {
            return refuse(record, reason: "person-changed", client: client)
        }
    }

    private func refuse(
        _ record: CodeRecord, reason: StaticString, client: RequestOrigin
    ) -> SessionCredential? {
        metrics.exchange(.refused)
        audit.record(
            AuditEvent(
                .signInFailed, reason: reason, provider: record.provider, person: record.person,
                address: client.address.description, request: client.request, device: client.device))
        return nil
    }

    /// Stores a record under a one-time code, sealed.
    package func save(_ record: CodeRecord, under code: OneTimeCode) async throws {
        try await save(try record.sealed(for: code, keys), under: code, of: .person(record.person))
    }

    /// Stores a sealed record under a one-time code.
    package func save(_ box: [UInt8], under code: OneTimeCode, of owner: CodeOwner) async throws {
        do {
            try await codes.save(box, under: code.key, for: codeLifetime, of: owner)
        } catch {
            throw unavailable(error)
        }
    }

    /// Removes the record of a one-time code from the store and returns it, still sealed. Returns nil on any further
    /// call.
    package func consume(_ code: OneTimeCode) async throws -> [UInt8]? {
        do {
            return try await codes.consume(code.key)
        } catch {
            metrics.exchange(.unavailable)
            throw unavailable(error)
        }
    }

    package func unavailable(_ error: any Error) -> any Error {
        guard !(error is CancellationError) else { return error }
        log.warning("The store of one-time codes does not respond.", ["error": .text("\(error)")])
        return GatewayError(.codeStore, "The server cannot reach its store of sign-in codes; try again in a moment.")
    }
}
