import FoundationEssentials

/// How Relate Mail speaks.
///
/// People sign in at an identity provider, and its access token is used once, to make a key that lives until it is revoked;
/// from then on the key alone is sent. Where a server names no provider, a key that the person pastes signs in.
///
/// Source: RM-1 to RM-9; contract of Relate Mail.
public struct RelateMailDialect: Dialect {
    /// What the server wants a client to wait where it does not say how long.
    ///
    /// Source: contract of Relate Mail, rule 17: windows of a minute, and 429 without `Retry-After`.
    static let pause = Duration.seconds(60)

    static let acceptsJSON: HTTPHeaders = ["Accept": JSON.mediaType]

    /// How people sign in at the server's identity provider; nil where it names none, or when it was not asked.
    let provider: RelateMailProvider?
    let now: @Sendable () -> Date

    /// Makes the dialect.
    public init() {
        self.init(provider: nil)
    }

    init(provider: RelateMailProvider?, now: @escaping @Sendable () -> Date = { Date() }) {
        self.provider = provider
        self.now = now
    }

    /// `relate-mail`.
    public var id: DialectID { DialectID(rawValue: "relate-mail") }
    /// `Relate Mail`.
    public var title: String { "Relate Mail" }

    /// `GET /api/discovery`.
    public var probe: DialectRequest { DialectRequest(.get, "/api/discovery", headers: Self.acceptsJSON) }

    /// `GET /api/profile`.
    public var identity: DialectRequest { DialectRequest(.get, "/api/profile", headers: Self.acceptsJSON) }

    /// Reads the profile.
    public func identity(from answer: ClientResponse) -> Identity? {
        guard answer.status.isSuccess, InterceptedResponse.isJSON(answer),
            let profile = try? JSON.decode(RelateMailProfile.self, from: answer.body), !profile.id.isEmpty
        else { return nil }
        let name = profile.displayName ?? ""
        return Identity(id: profile.id, email: profile.email, name: name.isEmpty ? nil : name)
    }

    /// `DELETE /api/smtp-credentials/{id}`: the server has no sessions, so signing out revokes the key. Nil where its id is
    /// not known.
    public func signOut(keyID: String?) -> DialectRequest? {
        keyID.map(revokeKey)
    }

    /// A success has revoked the key; 404 says that it was revoked before.
    public func revocationFailure(_ answer: ClientResponse, at server: ServerAddress) -> String? {
        guard !answer.status.isSuccess, answer.status != .notFound else { return nil }
        return "\(server) refuses: \(text(of: answer))."
    }

    /// `Authorization: ApiKey`, which servers of every version take; `Bearer` is for tokens of the provider, and earlier ones
    /// looked for those alone behind it.
    ///
    /// Source: contract of Relate Mail, rule 10.
    public func authorization(_ token: Secret) -> HTTPHeaders {
        ["Authorization": "ApiKey " + token.reveal()]
    }

    /// The sentence of `error`, or the title of a problem with what is wrong in each member of the body.
    public func errorMessage(in answer: ClientResponse) -> String? {
        guard let error = RelateMailError(body: answer.body) else { return nil }
        guard case .problem(let title, let errors) = error, !errors.isEmpty else { return error.text }
        return title + " " + errors.sorted { $0.key < $1.key }.flatMap(\.value).joined(separator: " ")
    }

    /// 60 seconds for a 429 that does not say.
    public func retryDelay(after answer: ClientResponse) -> Duration? {
        RetryAfter.read(answer) ?? (answer.status == .tooManyRequests ? Self.pause : nil)
    }

    /// Older servers have a fault of their own where a good key asks.
    ///
    /// Source: contract of Relate Mail, section c: 8b98d23.
    public func hint(for answer: ClientResponse) -> String? {
        guard answer.status == .internalServerError else { return nil }
        return "Versions of Relate Mail from before February 2026 answer so to a good key; its operator can update it."
    }

    /// The server's words, fit to stand in a sentence; the status where it has none.
    func text(of answer: ClientResponse) -> String {
        var text = SanitizedText.clean(errorMessage(in: answer) ?? InterceptedResponse.sketch(answer))
        while text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
