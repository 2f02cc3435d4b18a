import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The authenticated caller of a request of the Immich dialect.
struct ImmichCaller: Sendable {
    /// The session of the token.
    let session: Session
    /// Whether the session may see locked assets because the person entered the PIN recently.
    let isElevated: Bool
    /// When the session is locked again; nil when it is locked.
    let elevatedUntil: Date?
    /// The token of the session.
    let token: String
    /// Whether the token was sent in `x-api-key`, as the key of a program.
    let isKey: Bool

    /// The person who is signed in.
    var person: Person { session.person }
}

/// Authenticates requests of the Immich dialect, with all ways in which clients of Immich send a token.
///
/// The first source that is present decides, even if its token is invalid: `x-immich-user-token`,
/// `x-immich-session-token`, `Authorization: Bearer`, the cookie, `x-api-key`. A token in an address (`?sessionKey=`,
/// `?apiKey=`) is refused, because addresses appear in logs, in browser histories and in the `Referer` field. Shared
/// links are not supported.
///
/// `x-api-key` is for programs that support no other field. They send the token of a session in it. Such a caller never
/// sees locked assets and cannot change the account, because a program's key does not prove that the person is present.
///
/// Source: IM-9; docs/protocols/immich.md, Tokens; RFC 6750 §5.3.
package struct ImmichAccess: Sendable {
    private let services: GatewayServices
    private let issuer: any SessionIssuer
    private let elevations: ElevationStore
    private let cookies: ImmichCookies

    private static let keyHeader = "x-api-key"

    init(_ services: GatewayServices) {
        self.services = services
        issuer = services.issuer
        elevations = services.elevations
        cookies = ImmichCookies(services)
    }

    /// Authenticates the caller of a request, whom every later write of the request checks again.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - mayChangePassword: Whether the route is open to a person who must change their password first.
    /// - Returns: The caller.
    /// - Throws: ``ImmichRefusal`` with 401 when the request has no valid token, with 403 for a change that a page of
    ///   another site requests or when the person must change their password first; errors of the database.
    func caller(of request: ServerRequest, mayChangePassword: Bool = false) async throws -> ImmichCaller {
        let token = try token(of: request)
        let isKey = request.headers[Self.keyHeader] == token
        let authentication = try await issuer.authenticate(token)
        guard let session = authentication.session else {
            throw ImmichRefusal(.unauthorized, isKey ? "Invalid API key" : "Invalid user token")
        }
        guard authentication.isValid || mayChangePassword else {
            throw ImmichRefusal(.forbidden, services.passwordChangeSentence)
        }
        RequestActor.identify(.session(session.id))
        let until = isKey ? nil : try await elevations.use(session.id)
        return ImmichCaller(
            session: session, isElevated: until != nil, elevatedUntil: until, token: token, isKey: isKey)
    }

    /// Authenticates the caller of a route that concerns the session itself.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - mayChangePassword: As in ``caller(of:mayChangePassword:)``.
    ///   - change: The limit that a change counts for. Nil for the sign-out, which must always work.
    /// - Returns: The caller.
    /// - Throws: As ``caller(of:mayChangePassword:)``; ``ImmichRefusal`` with 400 for a key, with 429 for too many
    ///   changes.
    func session(
        of request: ServerRequest, mayChangePassword: Bool = false, change: RequestLimits.Change? = .other
    ) async throws -> ImmichCaller {
        let caller = try await caller(of: request, mayChangePassword: mayChangePassword)
        guard !caller.isKey else {
            throw ImmichRefusal(.badRequest, "This endpoint can only be used with a session token")
        }
        if let change { try count(change, caller, request) }
        return caller
    }

    private func count(
        _ change: RequestLimits.Change, _ caller: ImmichCaller, _ request: ServerRequest
    ) throws(ImmichRefusal) {
        guard request.method != .get, request.method != .head else { return }
        let wait = services.limits.consume(change, by: caller.session.caller, of: caller.person.id)
        if let wait { throw ImmichRefusal(wait: wait) }
    }

    /// Authenticates the caller of a route that changes the account. A key is refused.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - permission: The name of the permission that a key needs in version 3.1.0, for the error message.
    ///   - mayChangePassword: As in ``caller(of:mayChangePassword:)``.
    ///   - change: The limit that a change counts for.
    /// - Returns: The caller.
    /// - Throws: As ``caller(of:mayChangePassword:)``; ``ImmichRefusal`` with 403 for a key, with 429 for too many
    ///   changes.
    func person(
        of request: ServerRequest, for permission: String, mayChangePassword: Bool = false,
        change: RequestLimits.Change = .other
    ) async throws -> ImmichCaller {
        let caller = try await caller(of: request, mayChangePassword: mayChangePassword)
        guard !caller.isKey else {
            throw ImmichRefusal(.forbidden, "Missing required permission: \(permission)")
        }
        try count(change, caller, request)
        return caller
    }

    /// Returns the token of a request, from the first source that is present.
    ///
    /// - Throws: ``ImmichRefusal`` when there is no token, or when its source is not accepted.
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
            // Two values could belong to two callers.
            guard values.count == 1 else { throw ImmichRefusal(.unauthorized, "Invalid user token") }
            return value
        }
        if request.query("sessionKey") != nil {
            throw ImmichRefusal(.unauthorized, "A token in an address is not accepted; send it in a header.")
        }
        let authorizations = request.headers.values("Authorization")
        if authorizations.count == 1, let token = BearerToken.token(authorizations[0]) { return token }
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
