package import HTTPMessages
import OAuth
package import SignInBridge

/// The query of a browser that begins a sign-in.
///
/// The sign-in is for an app when the query has `mobile_redirect_uri`, `app_state` or `app_code_challenge`. Otherwise
/// it is for the browser itself and ends at `next`.
///
/// Source: OX-2; docs/protocols/onyx.md, Authorize.
package struct AuthorizeQuery: Sendable {
    /// Whether the browser is redirected to the provider. When false, the response contains the address instead.
    let isRedirected: Bool
    /// Whether the provider must authenticate the person again, even if the person is signed in there.
    package let requiresReauthentication: Bool
    /// Whether the provider must let the person choose another account.
    let choosesAccount: Bool
    /// The provider's id. Nil when the query names none.
    package let provider: String?
    /// Where the sign-in ends.
    package let returnTo: PendingAuthorization.ReturnTarget

    /// The reason why a query is refused, with a message for the client.
    package enum Refusal: Error, Equatable {
        /// A parameter cannot be parsed.
        case unreadable(String)
        /// A parameter is repeated, or its value is not allowed.
        case refused(String)
    }

    /// The maximum length of an app's state, in bytes.
    package static let maximumStateCount = 512
    private static let names = [
        "redirect", "provider", "again", "another", "next", "mobile_redirect_uri", "app_state", "app_code_challenge",
    ]

    /// Reads a query. The challenge is checked before the redirect.
    package init(_ fields: FormFields, _ redirects: AllowedRedirects) throws(Refusal) {
        for name in Self.names where fields.values(name).count > 1 {
            throw .refused("The parameter '\(name)' occurs more than once.")
        }
        isRedirected = try Self.boolean(fields["redirect"], "redirect")
        requiresReauthentication = try Self.boolean(fields["again"], "again")
        choosesAccount = try Self.boolean(fields["another"], "another")
        provider = fields["provider"]
        let isNative = Self.names.suffix(3).contains { fields[$0] != nil }
        returnTo = isNative ? try Self.app(fields, redirects) : .web(next: try Self.next(fields["next"]))
    }

    private static func app(
        _ fields: FormFields, _ redirects: AllowedRedirects
    ) throws(Refusal) -> PendingAuthorization.ReturnTarget {
        guard let text = fields["app_code_challenge"], !text.isEmpty else {
            throw .refused("Mobile SSO requires a PKCE code challenge")
        }
        guard let challenge = PKCE.Challenge(text) else {
            throw .refused("The PKCE code challenge must be 43 characters of base64url, made with S256")
        }
        guard let redirect = fields["mobile_redirect_uri"], redirects.allows(redirect) else {
            throw .refused("Disallowed mobile redirect URI")
        }
        let state = fields["app_state"] ?? ""
        guard state.utf8.count <= maximumStateCount else {
            throw .refused("The app's state must have at most \(maximumStateCount) bytes")
        }
        return .app(redirect: redirect, state: state, challenge: challenge)
    }

    /// Returns the path of `next`, which must be a path of this server. Default: `/`.
    private static func next(_ text: String?) throws(Refusal) -> String {
        guard let text, !text.isEmpty else { return "/" }
        guard let address = ReturnAddress.check(text) else {
            throw .refused("The parameter 'next' must be a path of this server")
        }
        return address.text
    }

    /// Source: Pydantic, "Booleans", as servers of this family read them.
    private static func boolean(_ text: String?, _ name: String) throws(Refusal) -> Bool {
        switch text?.lowercased() {
        case nil, "false", "0", "no", "off", "n", "f": return false
        case "true", "1", "yes", "on", "y", "t": return true
        default: throw .unreadable("query.\(name): A boolean is required.")
        }
    }
}
