import Crypto
package import FoundationEssentials
import HTTPClient
import HTTPMessages

/// The protocol of one server family: its paths, messages and error envelopes. A value without state.
///
/// A dialect makes requests and reads responses. ``Session`` sends the requests, stores the tokens and takes the locks.
/// A new family is one conforming type and one line in ``Dialects/all``. Abilities that only some families have are in
/// further protocols: ``PasswordDialect``, ``BrowserDialect``, ``KeyDialect``, ``PasswordChangeDialect``,
/// ``SessionListDialect``.
///
/// Source: ARCHITECTURE.md, Dialects.
package protocol Dialect: Sendable {
    /// The id that is stored with every account of this family.
    var id: DialectID { get }
    /// The name of the family, for people.
    var title: String { get }
    /// The public server of the family's maker, which people choose by its name. Nil, the default, when there is none.
    var hostedServer: HostedServer? { get }
    /// The data about one server to store with the account. Contains no secret. Default: empty.
    var details: [String: String] { get }
    /// Returns the dialect of a server with stored ``details``. Default: this value, for families whose servers do not
    /// differ.
    func with(details: [String: String]) -> any Dialect

    /// The request that identifies the family. It is sent without a token.
    var probe: DialectRequest { get }
    /// Reads the response to ``probe``.
    func match(_ response: ClientResponse) -> ServerMatch
    /// Looks for a server of this family at an address. Default: sends ``probe`` and reads the response with
    /// ``match(_:)``.
    ///
    /// - Returns: The server, whose address may differ from the given one, or what responded instead.
    /// - Throws: ``LatchError`` when the server does not respond; `CancellationError`.
    func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult

    /// The path of the issuer in the metadata of a gateway that serves this family, if its tokens can be bound to a key.
    /// It is below the server that issues the sessions. Nil, the default, for families whose tokens cannot be bound.
    ///
    /// Source: docs/token-endpoints.md; RFC 9449.
    var bindingIssuer: String? { get }

    /// The request that asks who is signed in.
    var identity: DialectRequest { get }
    /// Reads a successful response to ``identity``. Returns nil when the response is not from this family.
    func identity(from response: ClientResponse) -> Identity?

    /// The request that renews a token, sent with that token. Nil when tokens cannot be renewed, which is the default.
    var refresh: DialectRequest? { get }
    /// Reads a successful response to ``refresh``. Returns nil when the response is not from this family.
    func renewal(from response: ClientResponse) -> Grant?
    /// Whether a token is also renewed when the program returns to the foreground, because responses do not say when it
    /// expires. Default: false.
    var renewsInForeground: Bool { get }
    /// When to renew a token that was granted at `now`. Default: never.
    func refreshDate(now: Date, expires: Date?) -> Date

    /// Makes the request that ends the session on the server, sent with the token.
    ///
    /// - Parameter keyID: The id of the account's API key, when its token is one.
    /// - Returns: The request. Nil when the family has none.
    func signOut(keyID: String?) -> DialectRequest?
    /// Reads the response to ``signOut(keyID:)``. Returns nil when the session has ended on the server, otherwise the
    /// reason as a sentence. Default: any successful status means that it has ended.
    func revocationFailure(_ response: ClientResponse, at server: ServerAddress) -> String?

    /// Whether a successful sign-out response always means that the session ended. When false, ``identity`` is
    /// requested once more to make sure. Default: true.
    var trustsSignOutResponse: Bool { get }

    /// The service and account names under which the apps of this family store a token in the secret store. Nil, the
    /// default, for the names of this library. The account's id is stored with either.
    var tokenName: (service: String, account: String)? { get }

    /// Returns the header fields that carry a token.
    func authorization(_ token: Secret) -> HTTPHeaders
    /// Returns the header fields that carry a token on a connection that sends `extra` fields with every request.
    /// Fields of both are kept. Default: the same as ``authorization(_:)``.
    func authorization(_ token: Secret, besides extra: HTTPHeaders) -> HTTPHeaders
    /// Header fields that every request with a token gets unless it sets them itself. Default: none.
    var tokenHeaders: HTTPHeaders { get }

    /// Decides what the response to a request with a token says about the session.
    ///
    /// - Parameters:
    ///   - response: A response from the server, or from a proxy in front of it.
    ///   - path: The path of the request, below the address.
    ///   - server: The address of the request.
    /// - Returns: Whether the response is the server's own, and whether the server accepts the token.
    func authenticationOutcome(
        of response: ClientResponse, to path: String, at server: ServerAddress
    ) -> AuthenticationOutcome

    /// The error message in a response, from the error envelope of the family. Nil when there is none. It must be
    /// cleaned with ``SanitizedText`` before it is shown.
    func errorMessage(in response: ClientResponse) -> String?

    /// How long the server asks clients to wait after a response. Nil when it does not say. Default: the `Retry-After`
    /// field.
    func retryDelay(after response: ClientResponse) -> Duration?
    /// Whether the server has a library of photos and videos with the requests of Immich. Default: false.
    var hasPictureLibrary: Bool { get }
    /// A sentence about a known fault of the server that explains a response. Default: nil.
    func hint(for response: ClientResponse) -> String?
}

extension Dialect {
    /// Nil: the makers of most families operate no public server.
    package var hostedServer: HostedServer? { nil }
    /// False: a token is renewed before its expiry.
    package var renewsInForeground: Bool { false }
    /// An empty dictionary: this family stores nothing about a server.
    package var details: [String: String] { [:] }
    /// Returns this value: the servers of this family do not differ.
    package func with(details: [String: String]) -> any Dialect { self }

    /// Sends ``probe`` and reads the response with ``match(_:)``.
    package func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        let response = try await connection.send(probe)
        return switch match(response) {
        case .server(let features): .server(self, connection.address, features)
        case .notRecognized(let reason): .notRecognized(reason, response)
        }
    }

    /// The same fields as ``authorization(_:)``.
    package func authorization(_ token: Secret, besides extra: HTTPHeaders) -> HTTPHeaders { authorization(token) }

    /// Nil: tokens of this family cannot be bound to a key.
    package var bindingIssuer: String? { nil }
    /// Nil: tokens of this family cannot be renewed.
    package var refresh: DialectRequest? { nil }
    /// Nil: tokens of this family cannot be renewed.
    package func renewal(from response: ClientResponse) -> Grant? { nil }
    /// The distant future: tokens of this family cannot be renewed.
    package func refreshDate(now: Date, expires: Date?) -> Date { .distantFuture }

    /// Nil: tokens are stored under the names of this library.
    package var tokenName: (service: String, account: String)? { nil }
    /// An empty set of fields.
    package var tokenHeaders: HTTPHeaders { [:] }
    /// True: a successful sign-out response means that the session ended.
    package var trustsSignOutResponse: Bool { true }
    /// The delay of the `Retry-After` field.
    package func retryDelay(after response: ClientResponse) -> Duration? { RetryAfter.read(response) }
    /// False: the server has no library.
    package var hasPictureLibrary: Bool { false }
    /// Nil: no faults are known.
    package func hint(for response: ClientResponse) -> String? { nil }

    /// Nil for any successful status, otherwise a sentence with the server's error message.
    package func revocationFailure(_ response: ClientResponse, at server: ServerAddress) -> String? {
        guard !response.status.isSuccess else { return nil }
        let message = SanitizedText.clause(errorMessage(in: response) ?? InterceptedResponse.summary(response))
        return "\(server) refused the request: \(message)."
    }
}
