/// What an administrator decides about a client: who may sign in, for how long, and what the client may ask for.
///
/// The defaults change nothing: everybody may sign in, and the lifetimes are those of the server.
package struct ClientSettings: Sendable, Equatable {
    /// The people who may sign in, if neither people nor groups are named.
    package enum Admission: String, Sendable, CaseIterable {
        /// Everybody with an account.
        case signedIn = "signed-in"
        /// The administrators of the server.
        case administrators
        /// No one.
        case nobody
    }

    /// The people who may sign in, if ``users`` and ``groups`` are empty. Default: everybody.
    package var admission = Admission.signedIn
    /// The people who may sign in, by e-mail address or id, in addition to those of ``groups``.
    package var users: [String] = []
    /// The groups of the identity provider whose members may sign in, in addition to ``users``.
    package var groups: [String] = []
    /// How long ago people may have authenticated when they sign in to the client. Nil for any time.
    package var maximumAge: Duration?
    /// How strong the authentication must have been. Nil for any.
    package var level: AuthenticationLevel?
    /// How long an access token is valid, but not longer than the server allows. Nil for the time of the server.
    package var accessTokenLifetime: Duration?
    /// How long a session lives after its last refresh, but not longer than the server allows. Nil for the time of the
    /// server.
    package var sessionLifetime: Duration?
    /// How long a session lives at most, but not longer than the server allows. Nil for the time of the server.
    package var sessionMaximum: Duration?
    /// Whether each authorization request must be pushed.
    ///
    /// Source: RFC 9126 §6.
    package var requiresPushedRequests = false
    /// The scopes that the client may get. Empty for all.
    package var scopes: [String] = []
    /// Whether the client gets refresh tokens. Without, its session ends with its access token.
    package var issuesRefreshTokens = true
    /// Whether each authorization request must have a code challenge. A public client must always send one.
    ///
    /// Source: RFC 7636; RFC 9700 §2.1.1.
    package var requiresChallenge = true
    /// Whether ID tokens have the claims about the person that UserInfo has.
    ///
    /// Source: OpenID Connect Core §5.4 and §5.5.
    package var hasIDTokenClaims = false

    /// The maximum number of elements of each list.
    package static let maximumElements = 256

    /// Creates the default settings.
    package init() {}

    /// Whether only some of the people may sign in.
    package var restrictsPeople: Bool {
        admission != .signedIn || !users.isEmpty || !groups.isEmpty || level != nil
    }

    /// Returns those of some scopes that the client may get.
    package func allowed(_ asked: [String]) -> [String] {
        let allowed = Set(scopes.map(ExactText.init))
        return asked.filter { scope in
            (allowed.isEmpty || allowed.contains(ExactText(scope)))
                && (issuesRefreshTokens || scope != OAuthScope.offlineAccess.rawValue)
        }
    }

    /// Returns a grant without the scopes that the client may not get.
    func narrowed(_ grant: ClientGrant) -> ClientGrant {
        ClientGrant(client: grant.client, scopes: allowed(grant.scopes), audience: grant.audience)
    }

    /// Whether a person, who is in some groups, may sign in to the client.
    func admits(_ person: Person, in groups: [String]) -> Bool {
        guard users.isEmpty, self.groups.isEmpty else {
            return AccessMembers(users: users, groups: self.groups).contains(person, in: groups)
        }
        return switch admission {
        case .signedIn: true
        case .administrators: person.isAdministrator
        case .nobody: false
        }
    }
}

/// The lifetimes of the sessions and access tokens of a client: those of its settings, bounded by those of the server.
struct ClientLifetimes: Sendable, Equatable {
    /// How long an access token is valid.
    let accessToken: Duration
    /// How long a session lives after its last refresh.
    let idle: Duration
    /// How long a session lives at most.
    let total: Duration

    init(_ settings: ClientSettings, accessToken: Duration, sessions: SessionLifetime) {
        self.accessToken = min(accessToken, settings.accessTokenLifetime ?? accessToken)
        // A session that cannot be refreshed is of no use after its access token.
        let limit = settings.issuesRefreshTokens ? sessions.maximum : min(sessions.maximum, self.accessToken)
        total = min(limit, settings.sessionMaximum ?? limit)
        idle = min(sessions.sliding, settings.sessionLifetime ?? sessions.sliding, total)
    }
}
