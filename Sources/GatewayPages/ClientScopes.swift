/// What the scopes of a client mean, as people read it.
package enum ClientScopes {
    private static let phrases = [
        "openid": "know who you are", "profile": "see your name", "email": "see your e-mail address",
        "groups": "see your groups", "offline_access": "stay signed in",
    ]

    /// Returns what scopes allow, such as `see your name`. An unknown scope is named as it is.
    package static func phrases(for scopes: [String]) -> [String] {
        scopes.map { phrases[$0] ?? "use the scope '\($0)'" }
    }
}
