/// The requirements for a token that a client sends with a request.
package struct AccessTokenExpectation: Sendable, Equatable {
    /// The kinds of a provider's tokens that can be accepted.
    package enum Kind: String, Sendable, CaseIterable {
        /// An access token only.
        case access
        /// An ID token, for providers whose access tokens only the provider can read.
        case id
    }

    /// The kind of token that is accepted.
    package var kind: Kind
    /// The accepted audiences, one of which must be in `aud`. Nil accepts tokens for any audience, including those for
    /// other servers and apps.
    package var audiences: [String]?

    /// Makes an expectation.
    package init(_ kind: Kind = .access, audiences: [String]?) {
        self.kind = kind
        self.audiences = audiences
    }
}
