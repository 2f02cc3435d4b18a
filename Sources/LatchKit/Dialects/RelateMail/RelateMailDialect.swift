import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import ServerMessages

/// The dialect of Relate Mail.
///
/// People sign in at an identity provider. Its access token is used once, to create a key that stays valid until it is
/// revoked. All later requests use only the key. If a server names no provider, people sign in with a key that they
/// paste.
///
/// Source: RM-1 to RM-9; docs/protocols/relate-mail.md.
package struct RelateMailDialect: Dialect {
    /// How long a client waits when the server does not say how long.
    ///
    /// Source: docs/protocols/relate-mail.md, Rate limits: windows of a minute, and 429 without `Retry-After`.
    static let pause = Duration.seconds(60)

    static let acceptsJSON: HTTPHeaders = ["Accept": JSON.mediaType]

    /// The server's identity provider. Nil when the server names none or was not asked.
    let provider: RelateMailProvider?
    let now: @Sendable () -> Date

    /// Makes the dialect.
    package init() {
        self.init(provider: nil)
    }

    init(provider: RelateMailProvider?, now: @escaping @Sendable () -> Date = { Date() }) {
        self.provider = provider
        self.now = now
    }

    /// `relate-mail`.
    package var id: DialectID { DialectID(rawValue: "relate-mail") }
    /// `Relate Mail`.
    package var title: String { "Relate Mail" }

    /// The request that identifies the family: `GET /api/discovery`.
    package var probe: DialectRequest { DialectRequest(.get, "/api/discovery", headers: Self.acceptsJSON) }

    /// The request that asks who is signed in: `GET /api/profile`.
    package var identity: DialectRequest { DialectRequest(.get, "/api/profile", headers: Self.acceptsJSON) }

    /// Reads the profile.
    package func identity(from response: ClientResponse) -> Identity? {
        guard response.status.isSuccess, InterceptedResponse.isJSON(response),
            let profile = try? JSON.decode(RelateMailProfile.self, from: response.body), !profile.id.isEmpty
        else { return nil }
        let name = profile.displayName ?? ""
        return Identity(id: profile.id, email: profile.email, name: name.isEmpty ? nil : name)
    }

    /// Returns `DELETE /api/smtp-credentials/{id}`. The server has no sessions, so signing out revokes the key. Nil
    /// when the id of the key is not known.
    package func signOut(keyID: String?) -> DialectRequest? {
        keyID.map(revokeKey)
    }

    /// Reads the response to a sign-out. A success means that the key was revoked, a 404 that it had been revoked
    /// before.
    package func revocationFailure(_ response: ClientResponse, at server: ServerAddress) -> String? {
        guard !response.status.isSuccess, response.status != .notFound else { return nil }
        return "\(server) refused the request: \(text(of: response))."
    }

    /// Returns `Authorization: ApiKey` with the key, which servers of every version accept. `Bearer` is for tokens of
    /// the provider, and earlier versions accept only those with it.
    ///
    /// Source: docs/protocols/relate-mail.md, API keys.
    package func authorization(_ token: Secret) -> HTTPHeaders {
        ["Authorization": "ApiKey " + token.reveal()]
    }

    /// Returns the text of `error`, or the title of a problem with the messages for each member of the body.
    package func errorMessage(in response: ClientResponse) -> String? {
        guard let error = RelateMailError(body: response.body) else { return nil }
        guard case .problem(let title, let errors) = error, !errors.isEmpty else { return error.text }
        return title + " " + errors.sorted { $0.key < $1.key }.flatMap(\.value).joined(separator: " ")
    }

    /// Returns the delay of the `Retry-After` field, or 60 seconds for a 429 without it.
    package func retryDelay(after response: ClientResponse) -> Duration? {
        RetryAfter.read(response) ?? (response.status == .tooManyRequests ? Self.pause : nil)
    }

    /// Returns a sentence about a fault of older servers, which respond with status 500 to a valid key.
    ///
    /// Source: docs/protocols/relate-mail.md, API keys.
    package func hint(for response: ClientResponse) -> String? {
        guard response.status == .internalServerError else { return nil }
        return "Relate Mail before February 2026 responds to a valid key this way; its operator can update it."
    }

    /// Returns the server's error message without a final period, so that it fits into a sentence. Without a message,
    /// it describes the status.
    func text(of response: ClientResponse) -> String {
        var text = SanitizedText.clean(errorMessage(in: response) ?? InterceptedResponse.summary(response))
        while text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
