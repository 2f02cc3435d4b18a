import Wire

/// The paths of the pages, below their prefix.
enum PagePath {
    static let signIn = "/sign-in"
    /// Where a browser comes to that signed in through an identity provider, and goes on from.
    static let signedIn = "/sign-in/done"
    static let signOut = "/sign-out"
    static let account = "/account"
    /// The page on which a password is changed. People who must change theirs first are redirected here.
    static let password = "/account/password"
    static let administration = "/admin"

    /// The page on which an unlinked identity is linked.
    static func identity(_ id: Int) -> String { "\(administration)/identities/\(id)" }

    /// The sign-in page for somebody who wants to go on to a path of this server afterwards.
    static func signIn(returningTo path: String, isAgain: Bool = false) -> String {
        let query = [("return", path)] + (isAgain ? [("again", "1")] : [])
        return signIn + "?" + FormURLEncoded.encode(query)
    }
}
