import FoundationEssentials
package import GatewayCore
import OAuth
import OpenIDConnect

extension Bridge {
    /// Exchanges a one-time code for the identity that signed in. Returns nil for every invalid code, for any
    /// reason. The code is consumed before it is checked.
    ///
    /// - Throws: ``GatewayError/Code/codeStore`` when the store does not respond.
    ///
    /// Source: OX-5; RFC 7636 §4.6.
    package func identity(
        for code: OneTimeCode, verifier: String, client: RequestOrigin
    ) async throws -> (record: IdentityRecord, provider: BridgeProvider)? {
        guard let box = try await consume(code), let record = IdentityRecord(opening: box, for: code, keys),
            now() < record.expires, let provider = providers[record.provider]
        else {
            metrics.exchange(.refused)
            return nil
        }
        guard let verifier = PKCE.Verifier(verifier), record.challenge.matches(verifier) else {
            metrics.exchange(.refused)
            audit.record(
                AuditEvent(
                    .signInFailed, reason: "wrong-verifier", provider: record.provider,
                    address: client.address.description, request: client.request, device: client.device))
            return nil
        }
        metrics.exchange(.succeeded)
        return (record, provider)
    }

    /// Ends the former session of a browser that signed in again. A failure is logged and does not undo the sign-in.
    package func end(_ token: String?, _ request: String) async {
        guard let token else { return }
        do {
            _ = try await issuer.end(token)
        } catch {
            log.warning("Could not end a browser's previous session.", ["request": .text(request)])
        }
    }

    /// Signs in the person that an identity is linked to. Fails if the person was signed out everywhere after the sign-in
    /// began.
    ///
    /// - Throws: ``BridgeFailure`` when the sign-in failed; errors of the database.
    package func signIn(
        _ record: IdentityRecord, at provider: BridgeProvider, client: RequestOrigin
    ) async throws -> SessionCredential {
        let identity = record.identity
        do {
            let person = try await person(for: identity, at: provider, identifiedAt: record.identifiedAt)
            return try await start(
                for: person, provider: provider.id, identity.sessionID, client, authenticated: identity.authenticated,
                methods: AuthenticationMethods(of: identity))
        } catch {
            let failure = BridgeFailure(error)
            guard failure.reason != nil else { throw error }
            metrics.bridge(failure.outcome, at: provider.id)
            self.record(failure, at: provider, client)
            throw failure
        }
    }
}
