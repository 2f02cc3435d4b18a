import HTTPMessages

/// The paths of the pages, below their prefix.
package enum PagePath {
    package static let signIn = "/sign-in"
    /// The path that a browser returns to after a sign-in through an identity provider. It redirects to the final
    /// destination.
    package static let signedIn = "/sign-in/done"
    package static let signOut = "/sign-out"
    package static let account = "/account"
    /// The page on which a password is changed. People who must change theirs first are redirected here.
    package static let password = "/account/password"
    package static let administration = "/admin"

    /// Whether a page or form, by its path below the prefix of the pages, is for administrators only.
    package static func isAdministration(_ path: String) -> Bool {
        path == administration || path.hasPrefix(administration + "/")
    }

    /// The administrator's list of the clients of the authorization server.
    package static let clients = "/admin/clients"

    /// The administrator's list of banned addresses.
    package static let bans = "/admin/bans"

    /// The page on which an unlinked identity is linked.
    package static func identity(_ id: Int) -> String { "\(administration)/identities/\(id)" }

    /// The parameter of the sign-in page for the e-mail address that it shows first.
    ///
    /// Source: OpenID Connect Core §3.1.2.1.
    package static let loginHint = "login_hint"

    /// Returns the path of the sign-in page for a person who then continues at a path of this server.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - requiresReauthentication: Whether a person who is signed in must sign in again. Default: false.
    ///   - hint: The e-mail address that the page shows first, of at most ``longestHint`` bytes. Nil, the default, for none.
    /// - Returns: The path with its query.
    package static func signIn(
        returningTo path: String, requiresReauthentication: Bool = false, hint: String? = nil
    ) -> String {
        let shown = hint.flatMap { $0.utf8.count <= longestHint ? $0 : nil }
        let query =
            [("return", path)] + (requiresReauthentication ? [("again", "1")] : [])
            + (shown.map { [(loginHint, $0)] } ?? [])
        return signIn + "?" + FormURLEncoded.encode(query)
    }

    /// The maximum length of an e-mail address that the sign-in page shows first, in bytes.
    package static let longestHint = 320
}
