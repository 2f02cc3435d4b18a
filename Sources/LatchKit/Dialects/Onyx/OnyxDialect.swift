public import FoundationEssentials

/// How Onyx speaks, and every server that speaks like it: the gateway `latchd` above all.
///
/// Its tokens are opaque and slide: nothing on the wire says when one ends, so one is renewed ``refreshInterval`` after
/// it was granted, when it is next used.
///
/// Source: OX-1, OX-8, OX-10 to OX-14; contract of Onyx.
public struct OnyxDialect: PasswordDialect {
    /// How long after it was granted a token is renewed; Onyx's own app does so every 10 minutes too.
    public static let refreshInterval: TimeInterval = 600
    /// How long before a known end a token is renewed at the latest.
    public static let refreshMargin: TimeInterval = 120

    // What is longer can be no end: ten years, in seconds.
    private static let longestLifetime = 315_360_000

    /// Makes the dialect.
    public init() {}

    /// `onyx`.
    public var id: DialectID { DialectID(rawValue: "onyx") }
    /// `Onyx`.
    public var title: String { "Onyx" }

    /// `GET /api/auth/type`.
    public var probe: DialectRequest { DialectRequest(.get, "/api/auth/type", headers: Self.acceptsJSON) }
    /// `GET /api/me`.
    public var identity: DialectRequest { DialectRequest(.get, "/api/me", headers: Self.acceptsJSON) }
    /// `POST /api/auth/mobile/refresh`.
    public var refresh: DialectRequest? {
        DialectRequest(.post, "/api/auth/mobile/refresh", headers: Self.acceptsJSON)
    }
    /// `POST /api/auth/mobile/logout`.
    public func signOut(keyID: String?) -> DialectRequest? {
        DialectRequest(.post, "/api/auth/mobile/logout", headers: Self.acceptsJSON)
    }

    /// `Authorization: Bearer`, in exactly this case: Onyx's tenant resolver compares it so.
    public func authorization(_ token: Secret) -> HTTPHeaders {
        ["Authorization": "Bearer " + token.reveal()]
    }

    /// The `detail` of an error, or what its code says.
    public func errorMessage(in answer: ClientResponse) -> String? {
        OnyxError(body: answer.body).flatMap(Self.words(for:))
    }

    /// A 2xx in JSON with `multi_tenant` or `auth_type` is an Onyx server.
    ///
    /// Source: OX-10; contract of Onyx, b.12.
    public func match(_ answer: ClientResponse) -> ServerMatch {
        guard answer.status.isSuccess else {
            return .notRecognized("it answered \(InterceptedResponse.sketch(answer)) to \(probe.path)")
        }
        guard let type = try? JSON.decode(OnyxAuthType.self, from: answer.body),
            type.multiTenant != nil || type.authType != nil
        else {
            return .notRecognized(
                "its answer to \(probe.path) is not what an Onyx server says (\(InterceptedResponse.sketch(answer)))")
        }
        return .server(ServerFeatures(type))
    }

    /// `POST /api/auth/mobile/login` with a form of `username` and `password`.
    public func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest {
        var headers = Self.acceptsJSON
        headers["Content-Type"] = FormURLEncoded.mediaType
        headers["deviceModel"] = device.model
        headers["deviceType"] = device.type
        let form = FormURLEncoded.encode([("username", email.text), ("password", password.reveal())])
        return DialectRequest(.post, "/api/auth/mobile/login", headers: headers, body: Array(form.utf8))
    }

    /// Reads `{"access_token", "token_type": "bearer"}`, and `refresh_token` and `expires_in` where they are there.
    public func renewal(from answer: ClientResponse) -> Grant? {
        guard answer.status.isSuccess, let response = try? JSON.decode(OnyxTokenResponse.self, from: answer.body),
            response.tokenType.lowercased() == "bearer", Self.isToken(response.accessToken),
            response.refreshToken.map(Self.isToken) ?? true, response.expiresIn ?? 1 > 0
        else { return nil }
        return Grant(
            token: Secret(response.accessToken), refreshToken: response.refreshToken.map { Secret($0) },
            lifetime: response.expiresIn.map { .seconds(min($0, Self.longestLifetime)) })
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && !text.contains(" ") && HTTPHeaders.isSafe(name: "Authorization", value: text)
    }

    /// Reads `UserInfo`; an anonymous visitor is nobody.
    public func identity(from answer: ClientResponse) -> Identity? {
        guard answer.status.isSuccess, let user = try? JSON.decode(OnyxUser.self, from: answer.body),
            user.isAnonymousUser != true
        else { return nil }
        let name = user.personalization?["name"]?.string ?? ""
        return Identity(
            id: user.id, email: user.email, name: name.isEmpty ? nil : name, scopes: user.effectivePermissions ?? [],
            tokenExpires: user.tokenExpiresAt.flatMap(Self.date))
    }

    /// ``refreshInterval`` from `now`, or ``refreshMargin`` before a known end if that is earlier; never before half of
    /// the time that is left.
    public func refreshDate(now: Date, expires: Date?) -> Date {
        let regular = now.addingTimeInterval(Self.refreshInterval)
        guard let expires, expires > now else { return regular }
        let left = expires.timeIntervalSince(now)
        return min(regular, now.addingTimeInterval(max(left - Self.refreshMargin, left / 2)))
    }

    private static let acceptsJSON: HTTPHeaders = ["Accept": "application/json"]

    private static func date(_ text: String) -> Date? {
        // A date without a zone is UTC on these servers; fractions come in any number of digits.
        var text = text
        if let dot = text.firstIndex(of: ".") {
            let end = text[text.index(after: dot)...].firstIndex { !$0.isNumber } ?? text.endIndex
            text.removeSubrange(dot..<end)
        }
        if !text.hasSuffix("Z"),
            text.firstRange(of: "T").map({ text[$0.upperBound...].contains { "+-".contains($0) } }) != true
        {
            text += "Z"
        }
        return try? Date(text, strategy: .iso8601)
    }
}
