import Crypto
import HTTPClient
import OAuth
import OpenIDConnect

extension OAuthDialect {
    /// Whether people can sign in with a code on another device.
    var offersDeviceSignIn: Bool { server?.deviceAuthorization != nil && server?.userInfo != nil }

    /// Begins a sign-in with a code that the person enters on another device.
    ///
    /// The client id is the one that the person gave, the one of an earlier sign-in of this kind at this server, or a new
    /// one that the server registers.
    ///
    /// - Throws: ``LatchError/Code/deviceLoginDisabled`` when the server has no such endpoint or does not allow it to this
    ///   client, ``LatchError/Code/clientIDRequired``, and the errors of a registration; `CancellationError`.
    ///
    /// Source: RFC 8628 §3.1; RFC 8707 §2.
    func beginDevice(
        _ clientID: String?, earlierDetails: [[String: String]], _ connection: UnauthenticatedConnection
    ) async throws -> PendingDeviceSignIn {
        guard let authorization = server, let endpoint = authorization.deviceAuthorization else {
            throw PendingDeviceSignIn.notOffered(
                by: connection.address, "its metadata name no device_authorization_endpoint")
        }
        // Without this endpoint, an ID token would have to say who signed in, and it has no nonce here.
        guard authorization.userInfo != nil else { throw Self.unknownPerson(at: authorization) }
        let client = try await client(
            clientID, redirect: nil, earlierDetails: earlierDetails, at: authorization, connection)
        var dialect = self
        dialect.client = client
        let scope =
            authorization.scopes.isEmpty ? [] : [("scope", authorization.scopes.joined(separator: " "))]
        let codes = try await PendingDeviceSignIn.codes(
            endpoint.post([("client_id", client.id)] + scope + resourceParameter), from: endpoint.origin, connection)
        let key = authorization.proofKey()
        let exchange = authorization.token.post([
            ("grant_type", DeviceGrant.type), ("device_code", codes.deviceCode.reveal()), ("client_id", client.id),
        ])
        return PendingDeviceSignIn(
            place: authorization.token.origin, codes: codes, request: exchange, proofs: ProofSigner(key)
        ) { [dialect] response in
            guard let tokens = dialect.tokens(in: response) else {
                throw dialect.signInFailure(response, at: authorization.token.origin)
            }
            var signedIn = dialect
            signedIn.hasRefreshToken = tokens.refreshToken != nil
            var grant = dialect.grant(tokens)
            if tokens.isBound { grant.proofKey = try key?.pem() }
            grant.dialect = signedIn
            return grant
        }
    }
}
