/// How long sessions live, and how many a person may have.
public struct SessionLifetime: Sendable, Equatable {
    /// How long a session lives after its last use. 7 days by default.
    public var sliding: Duration
    /// How long a session lives at most, counted from the sign-in. 90 days by default.
    public var maximum: Duration
    /// How long an ended or expired session is remembered, so that its token is told apart from one never seen.
    /// 30 days by default.
    public var rememberEnded: Duration
    /// How many live sessions a person may have; one more ends the oldest. 100 by default.
    public var maximumPerPerson: Int

    /// Makes lifetimes.
    public init(
        sliding: Duration = .seconds(7 * 86_400), maximum: Duration = .seconds(90 * 86_400),
        rememberEnded: Duration = .seconds(30 * 86_400), maximumPerPerson: Int = 100
    ) {
        self.sliding = sliding
        self.maximum = maximum
        self.rememberEnded = rememberEnded
        self.maximumPerPerson = maximumPerPerson
    }
}
