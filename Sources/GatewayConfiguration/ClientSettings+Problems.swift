package import GatewayCore

extension ClientSettings {
    /// What is wrong between a setting and the others, or the settings of the server.
    package struct Problem: Sendable, Equatable {
        /// The name of the setting in the configuration.
        package let setting: String
        /// What is wrong, as a phrase that follows the name of the client.
        package let problem: String
        /// What to do about it.
        package let remedy: String
    }

    /// Finds settings that contradict each other or the settings of the server, or that have no effect.
    ///
    /// - Parameters:
    ///   - server: The settings of the server.
    ///   - isConfidential: Whether the client authenticates, with a secret or with keys.
    /// - Returns: The problems, none if the settings are good.
    package func problems(in server: GatewaySettings, isConfidential: Bool) -> [Problem] {
        peopleProblems + lifetimeProblems(server) + scopeProblems(server) + tokenProblems(isConfidential)
    }

    private func tokenProblems(_ isConfidential: Bool) -> [Problem] {
        guard !requiresChallenge, !isConfidential else { return [] }
        return [
            Problem(
                setting: "pkce",
                problem:
                    "pkce is optional, but the client has neither a secret nor keys, so anybody who gets a code of "
                    + "it can use the code",
                remedy: "give the client a secret, or remove pkce")
        ]
    }

    private var peopleProblems: [Problem] {
        var all: [Problem] = []
        if admission != .signedIn, !users.isEmpty || !groups.isEmpty {
            all.append(
                Problem(
                    setting: "allow", problem: "allow is \(admission.rawValue), but users or groups are named",
                    remedy: "set allow to signed-in, or remove them"))
        }
        for (name, list) in [("users", users), ("groups", groups), ("scopes", scopes)]
        where list.count > Self.maximumElements {
            all.append(
                Problem(
                    setting: name, problem: "\(name) has more than \(Self.maximumElements) elements",
                    remedy: "remove some of them"))
        }
        return all
    }

    private func lifetimeProblems(_ server: GatewaySettings) -> [Problem] {
        let sessions = server.sessions
        let limits = [
            (
                "access_token_lifetime", accessTokenLifetime, server.authorizationServer.accessTokenLifetime,
                "oauth.access_token_lifetime"
            ),
            ("session_lifetime", sessionLifetime, sessions.sliding, "sessions.lifetime"),
            ("session_maximum", sessionMaximum, sessions.maximum, "sessions.maximum"),
        ]
        var all = limits.compactMap { name, value, limit, key -> Problem? in
            guard let value, value > limit else { return nil }
            return Problem(
                setting: name, problem: "\(name) is longer than \(key), which is \(DurationText.show(limit))",
                remedy: "shorten the first or lengthen the second")
        }
        if let sessionLifetime, let sessionMaximum, sessionLifetime > sessionMaximum {
            all.append(
                Problem(
                    setting: "session_lifetime", problem: "session_lifetime is longer than session_maximum",
                    remedy: "shorten the first or lengthen the second"))
        }
        if !issuesRefreshTokens, sessionLifetime != nil || sessionMaximum != nil {
            all.append(
                Problem(
                    setting: "refresh_tokens",
                    problem: "refresh_tokens is false, so session_lifetime and session_maximum have no effect",
                    remedy: "remove them, or set access_token_lifetime"))
        }
        return all
    }

    private func scopeProblems(_ server: GatewaySettings) -> [Problem] {
        let known = OAuthScope.allCases.map(\.rawValue) + (server.verify.isEnabled ? server.verify.rules.scopes : [])
        var all = scopes.filter { !known.contains($0) }.map { scope in
            Problem(
                setting: "scopes", problem: "scopes has '\(scope)', which the server does not know",
                remedy:
                    "use \(OAuthScope.allCases.map(\.rawValue).joined(separator: ", ")), or a scope of an access rule")
        }
        if !issuesRefreshTokens, scopes.contains(OAuthScope.offlineAccess.rawValue) {
            all.append(
                Problem(
                    setting: "scopes", problem: "scopes has offline_access, but refresh_tokens is false",
                    remedy: "remove one of them"))
        }
        return all
    }
}
