import FoundationEssentials
import HTTPServer
import Wire

/// Who makes a request of the Immich dialect.
struct ImmichCaller: Sendable {
    /// The session.
    let session: Session
    /// Whether the session may see what is locked: its person typed the PIN a short while ago.
    let isElevated: Bool
    /// When that ends.
    let elevatedUntil: Date?
    /// The session's token.
    let token: String

    /// The person.
    var person: Person { session.person }
}

/// Tells who makes a request, by any of the ways in which clients of Immich bring their token.
///
/// The first source that is there is the one that counts, good or bad: `x-immich-user-token`, `x-immich-session-token`,
/// `Authorization: Bearer`, the cookie. A token in an address (`?sessionKey=`, `?apiKey=`) is refused: addresses stand in
/// logs, in histories and in the `Referer` of what a page loads. There are no shared links. Programs that know nothing but
/// `x-api-key` send a session's token there: it comes last, and never sees what is locked.
///
/// Source: IM-9; contract of Immich, b.1; RFC 6750 §5.3.
struct ImmichAccess: Sendable {
    private let issuer: any SessionIssuer
    private let elevations: ElevationStore
    private let cookies: ImmichCookies

    private static let keyHeader = "x-api-key"

    init(_ services: GatewayServices) {
        issuer = services.issuer
        elevations = ElevationStore(database: services.database, now: services.now)
        cookies = ImmichCookies(services)
    }

    /// The caller.
    ///
    /// - Throws: ``ImmichRefusal`` with 401 when there is none, or 403 when another site's page made a browser ask for a
    ///   change; errors of the database.
    func caller(of request: ServerRequest) async throws -> ImmichCaller {
        let token = try token(of: request)
        let isKey = request.headers[Self.keyHeader] == token
        guard case .valid(let session) = try await issuer.authenticate(token) else {
            throw ImmichRefusal(.unauthorized, isKey ? "Invalid API key" : "Invalid user token")
        }
        if isKey { return ImmichCaller(session: session, isElevated: false, elevatedUntil: nil, token: token) }
        let until = try await elevations.use(session.id)
        return ImmichCaller(session: session, isElevated: until != nil, elevatedUntil: until, token: token)
    }

    /// The token that a request brings, by the first source that is there.
    ///
    /// - Throws: ``ImmichRefusal``.
    func token(of request: ServerRequest) throws(ImmichRefusal) -> String {
        if request.headers["x-immich-share-key"] != nil || request.query("key") != nil {
            throw ImmichRefusal(.unauthorized, "Invalid share key")
        }
        if request.headers["x-immich-share-slug"] != nil || request.query("slug") != nil {
            throw ImmichRefusal(.unauthorized, "Invalid share slug")
        }
        for name in ["x-immich-user-token", "x-immich-session-token"] {
            let values = request.headers.values(name)
            guard let value = values.first else { continue }
            // Two of them are two callers.
            guard values.count == 1 else { throw ImmichRefusal(.unauthorized, "Invalid user token") }
            return value
        }
        if request.query("sessionKey") != nil {
            throw ImmichRefusal(.unauthorized, "A token in an address is not accepted; send it in a header.")
        }
        let authorizations = request.headers.values("Authorization")
        if authorizations.count == 1, let token = BearerToken.credentials(authorizations[0]) { return token }
        if let token = cookies.token(in: request) {
            guard cookies.isOwn(request) else { throw ImmichRefusal(.forbidden, "Forbidden") }
            return token
        }
        let keys = request.headers.values(Self.keyHeader)
        if keys.count == 1 { return keys[0] }
        if !keys.isEmpty || request.query("apiKey") != nil { throw ImmichRefusal(.unauthorized, "Invalid API key") }
        throw ImmichRefusal(.unauthorized, "Authentication required")
    }
}
