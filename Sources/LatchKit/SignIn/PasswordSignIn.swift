import Crypto
import FoundationEssentials
import HTTPClient
import OpenIDConnect

/// A sign-in with e-mail address and password.
///
/// Source: OX-1, IM-5, IM-17.
public struct PasswordSignIn: Sendable {
    /// The e-mail address.
    public var email: EmailAddress
    /// The password. It is not validated here. Its memory is overwritten when the last copy of this value is destroyed.
    public var password: Secret

    /// Makes a sign-in.
    ///
    /// - Parameters:
    ///   - email: The address as the person typed it. Leading and trailing white space is ignored, and letters become
    ///     lower case.
    ///   - password: The password as the person typed it.
    /// - Throws: ``LatchError/Code/invalidEmail``.
    public init(email: String, password: Secret) throws(LatchError) {
        self.email = try EmailAddress(typed: email)
        self.password = password
    }

    /// Signs in and returns the server's token.
    ///
    /// - Throws: ``LatchError``, see ``PasswordDialect/grant(from:of:)``; `CancellationError`.
    func perform(at server: Server, _ connection: UnauthenticatedConnection) async throws -> Grant {
        try server.features.requireOpen()
        guard server.features.signsInWithPassword, let dialect = server.dialect as? any PasswordDialect else {
            throw LatchError(
                .passwordLoginDisabled,
                "Login failed: \(server.address) does not support sign-in with a password. Use another sign-in method.")
        }
        let request = dialect.passwordSignIn(email: email, password: password, device: connection.device)
        return try dialect.grant(from: try await connection.send(request), of: connection.address)
    }

    /// Requests the identity that a token belongs to. Returns nil when the server does not say.
    ///
    /// - Throws: `CancellationError` only.
    static func identity(
        behind grant: Grant, at server: Server, with client: HTTPClient, timeout: Duration,
        now: @escaping @Sendable () -> Date
    ) async throws -> Identity? {
        if let identity = grant.identity { return identity }
        let request = server.authorize(server.dialect.identity, with: grant.token)
        // The identity is optional information for the account. If the request fails, the person is still signed in.
        let who = try await tolerating {
            try await send(
                request, to: server, with: client, timeout: timeout,
                proving: grant.proofKey.map { (try ProofSigner(DPoPKey(pem: $0), now: now), grant.token) })
        }
        return who.flatMap { server.dialect.identity(from: $0) }
    }

    /// Sends a request of a dialect to a server.
    static func send(
        _ request: DialectRequest, to server: Server, with client: HTTPClient, timeout: Duration,
        proving proof: (signer: ProofSigner, token: Secret)? = nil
    ) async throws -> ClientResponse {
        try await send(request, to: server.address, with: client, timeout: timeout, proving: proof)
    }

    /// Sends a request of a dialect to an address, unless the request has its own base address. A token that is bound to
    /// a key is sent with a proof.
    static func send(
        _ request: DialectRequest, to address: ServerAddress, with client: HTTPClient, timeout: Duration,
        proving proof: (signer: ProofSigner, token: Secret)? = nil
    ) async throws -> ClientResponse {
        let address = request.base ?? address
        let url = try address.url(of: request.path)
        return try await (proof?.signer ?? ProofSigner()).sending {
            var headers = request.headers
            let fields = proof.map { $0.signer.fields(request.method, url, token: $0.token) } ?? [:]
            for field in fields { headers[field.name] = field.value }
            return ClientRequest(
                method: request.method, url: url, headers: headers, body: request.body, timeout: timeout,
                maximumBodyBytes: request.maximumBodyBytes)
        } by: { message in
            try await LatchError.converting(address) { try await client.send(message) }
        }
    }

    private static func tolerating(_ body: () async throws -> ClientResponse) async throws -> ClientResponse? {
        do {
            return try await body()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }
}
