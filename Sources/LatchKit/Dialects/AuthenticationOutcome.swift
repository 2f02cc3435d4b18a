import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages

/// Whether the response to a probe came from a server of the family.
package enum ServerMatch: Sendable {
    /// It came from one. The features are those that the server announces.
    case server(ServerFeatures)
    /// It came from something else. The sentence says what responded instead.
    case notRecognized(String)
}

/// What a response says about the session of its request.
///
/// Source: ARCHITECTURE.md, Invariants, 4.
package enum AuthenticationOutcome: Sendable, Equatable {
    /// The response is the server's own, whether success or error. The session is valid.
    case authenticated
    /// The server rejects the token.
    case rejected(Rejection)
    /// The server failed or asks for a pause. Nothing is known about the session.
    case failing
    /// The response is not the server's own. The sentence says who sent it or how that is known.
    case intercepted(String)
}

/// A server's refusal of a token.
package struct Rejection: Sendable, Hashable {
    /// The server's error code, such as `SESSION_EXPIRED`, or `unauthorized` when it sends none.
    package var reason: String
    /// The reason for people, as the end of "You were signed out because …".
    package var sentence: String
    /// Whether only a server of this family responds this way. Otherwise the session asks the server again before it
    /// ends.
    package var isConclusive: Bool

    /// Makes a rejection.
    package init(reason: String, sentence: String, isConclusive: Bool) {
        self.reason = reason
        self.sentence = sentence
        self.isConclusive = isConclusive
    }
}

extension ClientResponse {
    /// Whether the server has no such route, or not with that method.
    var isUnknownRoute: Bool { status == .notFound || status == .methodNotAllowed }
}
