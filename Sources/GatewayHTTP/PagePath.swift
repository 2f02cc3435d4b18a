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

    /// Returns the path of the sign-in page for a person who then continues at a path of this server.
    package static func signIn(returningTo path: String, requiresReauthentication: Bool = false) -> String {
        let query = [("return", path)] + (requiresReauthentication ? [("again", "1")] : [])
        return signIn + "?" + FormURLEncoded.encode(query)
    }
}
