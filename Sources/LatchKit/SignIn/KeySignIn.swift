import Crypto
import HTTPClient
import HTTPMessages

/// A sign-in with an API key that the person created at the server, for servers without another way to sign in.
///
/// Source: RM-7; docs/protocols/relate-mail.md, Servers without a provider.
public struct KeySignIn: Sendable {
    /// The key. Its memory is overwritten when the last copy of this value is destroyed.
    public var key: Secret

    /// Makes a sign-in.
    ///
    /// - Parameter key: The key as the person pasted it. Leading and trailing white space is ignored.
    /// - Throws: ``LatchError/Code/invalidRequest`` when the key is empty, longer than 512 bytes or not a single line
    ///   of printable ASCII.
    public init(key: Secret) throws(LatchError) {
        let bytes = key.withBytes { bytes in
            let start = bytes.drop { Self.isBlank($0) }
            return start.lastIndex { !Self.isBlank($0) }.map { Array(start[...$0]) } ?? []
        }
        guard (1...512).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw LatchError(
                .invalidRequest,
                bytes.isEmpty
                    ? "The key is empty. You were not signed in."
                    : "This is not a key: a key is one line of letters, digits and symbols. Copy all of it, no more."
            )
        }
        self.key = Secret(bytes: bytes)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 9, 10, 13].contains(byte) }

    /// Tests the key with a request and determines its id.
    ///
    /// - Throws: ``LatchError/Code/noKeys``, ``LatchError/Code/wrongCredentials`` and the errors of ``KeyDialect``;
    ///   `CancellationError`.
    func perform(at server: Server, _ connection: UnauthenticatedConnection) async throws -> Grant {
        guard server.features.signsInWithKey, let dialect = server.dialect as? any KeyDialect else {
            throw LatchError(
                .noKeys,
                "Login failed: \(server.address) does not support sign-in with a key. Use another sign-in method.")
        }
        let ask: RequestSender = { [key] request in
            try await connection.send(server.authorize(request, with: key))
        }
        let response = try await ask(dialect.identity)
        guard let identity = dialect.identity(from: response) else {
            throw refusal(of: response, dialect, at: connection.address)
        }
        var grant = Grant(token: key)
        grant.identity = identity
        // Without the id the account works too, but signing out cannot revoke the key on the server.
        let own = try await CurrentKey(dialect: dialect, server: connection.address, ask: ask).find()
        grant.keyID = own?.id
        grant.scopes = own?.scopes
        return grant
    }

    private func refusal(of response: ClientResponse, _ dialect: any KeyDialect, at server: ServerAddress) -> LatchError
    {
        switch dialect.authenticationOutcome(of: response, to: dialect.identity.path, at: server) {
        case .rejected:
            return LatchError(
                .wrongCredentials,
                "Login failed: \(server) does not accept this key. Check that it is complete. If it is, it was revoked "
                    + "or is only for mail programs.")
        case .intercepted(let why):
            return LatchError(.interceptedResponse, "Login failed: the response did not come from \(server); \(why)")
        case .failing:
            let wait = dialect.retryDelay(after: response)
            guard response.status != .tooManyRequests else {
                let pause = wait.map { "\($0.components.seconds) seconds" } ?? "a minute"
                return LatchError(
                    .rateLimited, "Login failed: too many requests to \(server). Wait \(pause), then try again.",
                    retryAfter: wait)
            }
            let remedy = dialect.hint(for: response).map { " " + $0 } ?? ""
            return LatchError(
                .serverError,
                "Login failed: \(server) \(response.status.failureDescription). Try again later.\(remedy)",
                retryAfter: wait)
        case .authenticated where response.status.isSuccess:
            return InterceptedResponse.noToken(in: response, from: server)
        case .authenticated:
            let message = SanitizedText.clean(
                dialect.errorMessage(in: response) ?? InterceptedResponse.summary(response))
            return LatchError(.serverRefused, "Login failed: \(server) says: \(message)")
        }
    }
}
