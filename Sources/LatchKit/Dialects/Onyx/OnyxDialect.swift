import Crypto
package import FoundationEssentials
import HTTPClient
import HTTPMessages
import ServerMessages

/// The dialect of Onyx and of every server with the same protocol, above all the gateway `latchd`.
///
/// Tokens are opaque and their expiry moves with each use. Responses usually do not say when a token expires. A token
/// is therefore renewed at its first use after ``refreshInterval``.
///
/// Source: OX-1, OX-8, OX-10 to OX-14; docs/protocols/onyx.md.
package struct OnyxDialect: PasswordDialect {
    /// How long after it was granted a token is renewed, in seconds. Onyx's own app also renews every 10 minutes.
    package static let refreshInterval: TimeInterval = 600
    /// How long before a known expiry a token is renewed at the latest, in seconds.
    package static let refreshMargin: TimeInterval = 120

    // Ten years, in seconds. A longer lifetime is taken for an error and cut to this.
    private static let longestLifetime = 315_360_000

    /// Makes the dialect.
    package init() {}

    /// `onyx`.
    package var id: DialectID { DialectID(rawValue: "onyx") }
    /// `Onyx`.
    package var title: String { "Onyx" }

    /// `Onyx Cloud`, at the address that Onyx's own app uses.
    ///
    /// Source: OX-10; docs/protocols/onyx.md, Server discovery.
    package var hostedServer: HostedServer? {
        (try? ServerAddress("https://cloud.onyx.app")).map { HostedServer(name: "Onyx Cloud", address: $0) }
    }

    /// The request that identifies the family: `GET /api/auth/type`.
    package var probe: DialectRequest { DialectRequest(.get, "/api/auth/type", headers: Self.acceptsJSON) }
    /// The request that asks who is signed in: `GET /api/me`.
    package var identity: DialectRequest { DialectRequest(.get, "/api/me", headers: Self.acceptsJSON) }
    /// The request that renews a token: `POST /api/auth/mobile/refresh`.
    package var refresh: DialectRequest? {
        DialectRequest(.post, "/api/auth/mobile/refresh", headers: Self.acceptsJSON)
    }
    /// True, as in Onyx's own app.
    ///
    /// Source: OX-12.
    package var renewsInForeground: Bool { true }
    /// Returns the request that ends the session: `POST /api/auth/mobile/logout`.
    package func signOut(keyID: String?) -> DialectRequest? {
        DialectRequest(.post, "/api/auth/mobile/logout", headers: Self.acceptsJSON)
    }

    /// Returns `Authorization: Bearer` with the token. The scheme has exactly this case, because Onyx's tenant resolver
    /// compares it case-sensitively.
    package func authorization(_ token: Secret) -> HTTPHeaders {
        ["Authorization": "Bearer " + token.reveal()]
    }

    /// Returns the `detail` of an error, or a description of its code.
    package func errorMessage(in response: ClientResponse) -> String? {
        OnyxError(body: response.body).flatMap(Self.message(for:))
    }

    /// `/api`, the issuer of a gateway.
    package var bindingIssuer: String? { Self.prefix }

    /// Recognizes an Onyx server by a successful JSON response with `multi_tenant` or `auth_type`.
    ///
    /// Source: OX-10; docs/protocols/onyx.md, Server discovery.
    package func match(_ response: ClientResponse) -> ServerMatch {
        guard response.status.isSuccess else {
            return .notRecognized("it responded to \(probe.path) with \(InterceptedResponse.summary(response))")
        }
        guard let type = try? JSON.decode(OnyxAuthType.self, from: response.body),
            type.multiTenant != nil || type.authType != nil
        else {
            return .notRecognized(
                "its response to \(probe.path) is not that of an Onyx server (\(InterceptedResponse.summary(response)))"
            )
        }
        return .server(ServerFeatures(type))
    }

    /// Returns `POST /api/auth/mobile/login` with a form of `username` and `password`, and the device in two header
    /// fields.
    package func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest {
        var headers = Self.acceptsJSON
        headers["Content-Type"] = FormURLEncoded.mediaType
        headers["deviceModel"] = device.model
        headers["deviceType"] = device.type
        let form = FormURLEncoded.encode([("username", email.text), ("password", password.reveal())])
        return DialectRequest(.post, "/api/auth/mobile/login", headers: headers, body: Array(form.utf8))
    }

    /// Reads `{"access_token", "token_type": "bearer"}` with the optional members `refresh_token` and `expires_in`. A
    /// gateway sends the type `DPoP` for a token that is bound to a key.
    /// Returns nil when a member is missing or invalid.
    package func renewal(from response: ClientResponse) -> Grant? {
        guard response.status.isSuccess, let tokens = try? JSON.decode(OnyxTokenResponse.self, from: response.body),
            ["bearer", "dpop"].contains(tokens.tokenType.lowercased()), Self.isToken(tokens.accessToken),
            tokens.refreshToken.map(Self.isToken) ?? true, tokens.expiresIn ?? 1 > 0
        else { return nil }
        var grant = Grant(
            token: Secret(tokens.accessToken), refreshToken: tokens.refreshToken.map { Secret($0) },
            lifetime: tokens.expiresIn.map { .seconds(min($0, Self.longestLifetime)) })
        grant.isBound = tokens.tokenType.lowercased() == "dpop"
        return grant
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && !text.contains(" ") && HTTPHeaders.isSafe(name: "Authorization", value: text)
    }

    /// Reads `UserInfo`. Returns nil for an anonymous visitor.
    package func identity(from response: ClientResponse) -> Identity? {
        guard response.status.isSuccess, let user = try? JSON.decode(OnyxUser.self, from: response.body),
            user.isAnonymousUser != true
        else { return nil }
        let name = user.personalization?["name"]?.string ?? ""
        return Identity(
            id: user.id, email: user.email, name: name.isEmpty ? nil : name, scopes: user.effectivePermissions ?? [],
            tokenExpires: user.tokenExpiresAt.flatMap(Self.date))
    }

    /// Returns ``refreshInterval`` after `now`, or ``refreshMargin`` before a known expiry if that is earlier. The
    /// result is never before half of the remaining time.
    package func refreshDate(now: Date, expires: Date?) -> Date {
        let regular = now.addingTimeInterval(Self.refreshInterval)
        guard let expires, expires > now else { return regular }
        let left = expires.timeIntervalSince(now)
        return min(regular, now.addingTimeInterval(max(left - Self.refreshMargin, left / 2)))
    }

    private static let acceptsJSON: HTTPHeaders = ["Accept": "application/json"]

    private static func date(_ text: String) -> Date? {
        // These servers send dates without a time zone, which are UTC, and fractions with any number of digits.
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
