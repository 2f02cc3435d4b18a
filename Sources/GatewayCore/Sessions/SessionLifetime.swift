/// The lifetimes of sessions, and the number of sessions that a person may have.
package struct SessionLifetime: Sendable, Equatable {
    /// How long a session lives after its last use. 7 days by default.
    package var sliding: Duration
    /// How long a session lives at most, counted from the sign-in. 90 days by default.
    package var maximum: Duration
    /// How long an ended or expired session stays stored, so that its token differs from an unknown one. 30
    /// days by default.
    package var rememberEnded: Duration
    /// The maximum number of live sessions of a person. A further one ends the oldest. 100 by default.
    package var maximumPerPerson: Int
    /// The maximum number of sessions that one client may start for one person in an hour. 120 by default. Above some
    /// 300 it is not exact, because old sessions are deleted.
    package var maximumNewPerClient = 120
    /// The tokens of apps that can renew them. ``SessionTokens/stateful`` by default.
    package var tokens = SessionTokens.stateful
    /// How long an access token lives when ``tokens`` is ``SessionTokens/rotating``. 15 minutes by default.
    package var accessToken = Duration.seconds(900)

    /// Creates lifetimes.
    package init(
        sliding: Duration = .seconds(7 * 86_400), maximum: Duration = .seconds(90 * 86_400),
        rememberEnded: Duration = .seconds(30 * 86_400), maximumPerPerson: Int = 100
    ) {
        self.sliding = sliding
        self.maximum = maximum
        self.rememberEnded = rememberEnded
        self.maximumPerPerson = maximumPerPerson
    }
}

/// The tokens of apps that can renew them, which are those of Onyx's protocol.
package enum SessionTokens: Sendable, Equatable {
    /// One token that lives as long as the session.
    case stateful
    /// A short-lived access token, and a refresh token that each refresh replaces.
    case rotating
}
