/// What a token that comes with a request must be.
public struct AccessTokenExpectation: Sendable, Equatable {
    /// Which of a provider's tokens is taken.
    public enum Kind: String, Sendable, CaseIterable {
        /// An access token and nothing else.
        case access
        /// An ID token, for providers whose access tokens nobody else can read.
        case id
    }

    /// Which token it is.
    public var kind: Kind
    /// Whom the token may be meant for: one of these must be in `aud`. Nil takes tokens that are meant for anybody, other
    /// servers' and other apps' included.
    public var audiences: [String]?

    /// Makes an expectation.
    public init(_ kind: Kind = .access, audiences: [String]?) {
        self.kind = kind
        self.audiences = audiences
    }
}
