/// A scope that the authorization server knows.
///
/// Source: OpenID Connect Core §5.4 and §11.
package enum OAuthScope: String, CaseIterable, Sendable {
    /// An ID token, which identifies the person.
    case openid
    /// The person's name.
    case profile
    /// The person's e-mail address.
    case email
    /// The groups that the person is in.
    case groups
    /// A refresh token. Every client gets one.
    case offlineAccess = "offline_access"

    /// What a client with this scope learns or may do, for the consent page. Nil when the page needs no line for it.
    var sentence: String? {
        switch self {
        case .openid: "Know which account you use"
        case .profile: "See your name"
        case .email: "See your e-mail address"
        case .groups: "See the groups that you are in"
        case .offlineAccess: nil
        }
    }

    /// Returns the known scopes of a list that is separated by spaces, each once. Others are ignored, and the response
    /// names the scopes that were granted.
    ///
    /// Source: RFC 6749 §3.3.
    static func known(in text: String) -> [String] {
        var scopes: [String] = []
        for word in text.split(separator: " ") {
            guard let scope = OAuthScope(rawValue: String(word))?.rawValue, !scopes.contains(scope) else { continue }
            scopes.append(scope)
        }
        return scopes
    }
}
