import Primitives

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
    /// A refresh token. Every client gets one, also without this scope, unless its settings say otherwise.
    case offlineAccess = "offline_access"

    /// What a client with this scope may do, such as `see your name`. Nil when a client without it may do the same.
    package var phrase: String? {
        switch self {
        case .openid: "know who you are"
        case .profile: "see your name"
        case .email: "see your e-mail address"
        case .groups: "see the groups that you are in"
        case .offlineAccess: nil
        }
    }

    /// Returns the known scopes, and those in `others`, of a list that is separated by spaces, each once. Others are
    /// ignored, and the response names the scopes that were granted.
    ///
    /// Source: RFC 6749 §3.3.
    package static func known(in text: String, and others: [String] = []) -> [String] {
        var scopes: [String] = []
        for word in text.split(atByte: " ") {
            let scope = String(word)
            guard OAuthScope(rawValue: scope) != nil || others.contains(where: { ExactText($0) == ExactText(scope) }),
                !scopes.contains(scope)
            else { continue }
            scopes.append(scope)
        }
        return scopes
    }
}

extension ClientGrant {
    /// Returns what a client with this grant may do, such as `see your name`.
    ///
    /// - Parameter staysSignedIn: Whether the client gets a refresh token.
    /// - Returns: The phrases, at least one.
    package func phrases(staysSignedIn: Bool) -> [String] {
        let known = scopes.compactMap { scope in
            OAuthScope(rawValue: scope).map(\.phrase) ?? "use the permission \(scope)"
        }
        let all = known + audience.map { "use \($0) as you" }
        return (all.isEmpty ? ["know that you have an account here"] : all) + (staysSignedIn ? ["stay signed in"] : [])
    }
}
