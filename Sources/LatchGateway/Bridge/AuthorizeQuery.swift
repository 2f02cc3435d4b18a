import OAuth
import Wire

/// What a browser asks for when it begins a sign-in.
///
/// Three parameters make a sign-in an app's: `mobile_redirect_uri`, `app_state` and `app_code_challenge`. Without any of them
/// it is the browser's own and ends at `next`.
///
/// Source: OX-2; contract of Onyx, authorize.
struct AuthorizeQuery: Sendable {
    /// Whether the browser is sent on, or told where to go.
    let isRedirected: Bool
    /// Whether the provider shall ask the person anew although somebody is signed in there.
    let isAgain: Bool
    /// The provider's id, where one is named.
    let provider: String?
    /// Where the sign-in ends.
    let destination: BridgeState.Destination

    /// Why a query is refused.
    enum Refusal: Error, Equatable {
        /// A parameter cannot be read.
        case unreadable(String)
        /// A parameter may not be what it is.
        case refused(String)
    }

    /// The longest state of an app, in bytes.
    static let maximumStateCount = 512
    private static let names = [
        "redirect", "provider", "again", "next", "mobile_redirect_uri", "app_state", "app_code_challenge",
    ]

    /// Reads a query. The challenge is looked at before the redirect.
    init(_ fields: FormFields, _ redirects: AllowedRedirects) throws(Refusal) {
        for name in Self.names where fields.values(name).count > 1 {
            throw .refused("The parameter '\(name)' stands there twice.")
        }
        isRedirected = try Self.boolean(fields["redirect"], "redirect")
        isAgain = try Self.boolean(fields["again"], "again")
        provider = fields["provider"]
        let isNative = Self.names.suffix(3).contains { fields[$0] != nil }
        destination = isNative ? try Self.app(fields, redirects) : .web(next: try Self.next(fields["next"]))
    }

    private static func app(
        _ fields: FormFields, _ redirects: AllowedRedirects
    ) throws(Refusal) -> BridgeState.Destination {
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

    /// A path of this server.
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
