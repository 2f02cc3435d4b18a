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
