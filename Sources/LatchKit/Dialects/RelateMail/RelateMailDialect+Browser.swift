import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import OpenIDConnect

extension RelateMailDialect: BrowserDialect {
    /// `relate-mail://auth/callback`.
    package var callback: String { "relate-mail://auth/callback" }
    /// `/auth/callback`.
    package var loopbackPath: String { "/auth/callback" }

    /// Returns false. The provider sends the browser back, and nothing says whether it accepts any loopback port. A
    /// person who knows that it does can choose ``CallbackMethod/loopback``.
    package func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection)
        async throws(CancellationError) -> Bool
    { false }

    /// Begins a sign-in at the server's identity provider, with PKCE and a nonce.
    ///
    /// The provider's response is used only after every check. The ID token is required, because the request has the
    /// scope `openid`. The access token then creates the key, and both tokens are discarded. The name of the key is
    /// recorded before it is created.
    ///
    /// - Throws: ``LatchError/Code/browserLoginDisabled``, ``LatchError/Code/providerUntrusted``,
    ///   ``LatchError/Code/providerUnavailable``, ``LatchError/Code/invalidRequest`` for scopes that no program can
    ///   use; `CancellationError`.
    ///
    /// Source: RM-5, RM-6; docs/protocols/relate-mail.md, Sign-in at the provider and Access tokens.
    package func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> PendingBrowserSignIn
    {
        guard let provider else {
            throw LatchError(
                .browserLoginDisabled,
                "Login failed: \(connection.address) names no identity provider. Sign in with a key.")
        }
        if let scopes = start.scopes, !canCall(with: scopes) {
            throw LatchError(
                .invalidRequest,
                "A key with the scopes \(scopes.joined(separator: " ")) is only for mail programs. "
                    + "Add one of api:read, api:write and app.")
        }
        let (party, client) = try provider.party(server.connection, userAgent: connection.device.userAgent, now: now)
        let verifier = PKCE.Verifier()
        let nonce = Base64URL.encode(SecureRandom.bytes(16))
        do {
            let metadata = try await party.metadata()
            let address = try await party.authorizationURL(
                redirect: start.redirect, state: start.state, nonce: nonce, challenge: verifier.challenge)
            let issuer = metadata.sendsIssuerInResponses ? metadata.issuer : nil
            return PendingBrowserSignIn(address: address, state: start.state, issuer: issuer) { back in
                do {
                    let signIn = try await client.closeAfter { _ in
                        try await party.signIn(
                            callback: try Self.fields(of: back.link, start.redirect), redirect: start.redirect,
                            nonce: nonce, verifier: verifier)
                    }
                    return try await RelateMailKeyCreator(
                        dialect: self, connection: connection, token: signIn.accessToken, scopes: start.scopes,
                        recordKey: start.recordKey
                    ).grant()
                } catch {
                    throw LatchError.atProvider(error)
                }
            }
        } catch {
            await client.close()
            throw LatchError.atProvider(error)
        }
    }

    private static func fields(of link: Secret, _ redirect: String) throws -> FormFields {
        let query = link.reveal().utf8.prefix { $0 != UInt8(ascii: "#") }.dropFirst(redirect.utf8.count + 1)
        return try FormURLEncoded.decode(Array(query))
    }
}

extension LatchError {
    /// Converts an error of an identity provider to an error for people. Returns any other error unchanged.
    static func atProvider(_ error: any Error) -> any Error {
        guard let error = error as? OpenIDConnectError else { return error }
        let detail = error.providerDescription.map { " It says: \(SanitizedText.clean($0))" } ?? ""
        let message = "Login failed: \(error.message)\(detail)"
        return switch error.code {
        case .denied: LatchError(.signInDenied, message, cause: error)
        case .refused: LatchError(.codeRefused, message, cause: error)
        case .unreachable: LatchError(.providerUnavailable, message, cause: error)
        default: LatchError(.providerUntrusted, message, cause: error)
        }
    }
}
