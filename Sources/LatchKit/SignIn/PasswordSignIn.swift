/// Signs in with e-mail and password.
///
/// Source: OX-1, IM-5, IM-17.
public struct PasswordSignIn: Sendable {
    /// The e-mail address.
    public var email: EmailAddress
    /// The password; it is not checked here, and forgotten with this value.
    public var password: Secret

    /// Makes a sign-in.
    ///
    /// - Parameters:
    ///   - email: The address as the person typed it: white space at the ends is dropped, letters are lower-cased.
    ///   - password: The password as the person typed it.
    /// - Throws: ``LatchError/Code/invalidEmail``.
    public init(email: String, password: Secret) throws(LatchError) {
        self.email = try EmailAddress(typed: email)
        self.password = password
    }

    /// Asks the server for a token.
    ///
    /// - Throws: ``LatchError``; see ``Dialect/grant(from:of:)``. `CancellationError` when cancelled.
    func perform(at server: Server, _ connection: UnauthenticatedConnection) async throws -> Grant {
        try server.features.requireOpen()
        guard server.features.signsInWithPassword, let dialect = server.dialect as? any PasswordDialect else {
            throw LatchError(
                .passwordLoginDisabled,
                "Login failed: \(server.address) does not sign in with a password. Use one of its other ways.")
        }
        let request = dialect.passwordSignIn(email: email, password: password, device: connection.device)
        return try dialect.grant(from: try await connection.send(request), of: connection.address)
    }

    /// Asks the server who a token is for; nil when it does not say.
    ///
    /// - Throws: `CancellationError` only.
    static func identity(
        behind grant: Grant, at server: Server, with client: HTTPClient, timeout: Duration
    ) async throws -> Identity? {
        if let identity = grant.identity { return identity }
        var identity = server.dialect.identity
        for field in server.authorization(grant.token) { identity.headers[field.name] = field.value }
        let request = identity
        // Who it is decorates the account; a server that fails to say so has still signed the person in.
        let who = try await tolerating { try await send(request, to: server, with: client, timeout: timeout) }
        return who.flatMap { server.dialect.identity(from: $0) }
    }

    /// Sends one request of a dialect.
    static func send(
        _ request: DialectRequest, to server: Server, with client: HTTPClient, timeout: Duration
    ) async throws -> ClientResponse {
        try await send(request, to: server.address, with: client, timeout: timeout)
    }

    /// Sends one request of a dialect.
    static func send(
        _ request: DialectRequest, to address: ServerAddress, with client: HTTPClient, timeout: Duration
    ) async throws -> ClientResponse {
        let address = request.base ?? address
        let url = try address.url(of: request.path)
        return try await LatchError.telling(address) {
            try await client.send(
                ClientRequest(
                    method: request.method, url: url, headers: request.headers, body: request.body, timeout: timeout))
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
