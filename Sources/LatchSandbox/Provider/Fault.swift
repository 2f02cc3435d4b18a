/// What the provider does wrong when asked to: each a choice of the sign-in page.
///
/// A relying party must have nobody signed in after any of them. Those of UserInfo also keep the e-mail address out of
/// the ID token, so that a relying party has to ask there.
///
/// Source: OpenID Connect Core §3.1.2.6, §3.1.3.7 and §5.3.4; RFC 9207 §2.4; RFC 6749 §3.1 and §5.2.
public enum Fault: String, CaseIterable, Sendable {
    // The answer to the authorization request.
    /// `error=server_error`.
    case serverError = "server-error"
    /// `error=temporarily_unavailable`.
    case unavailable = "temporarily-unavailable"
    /// Neither a code nor an error.
    case noCode = "no-code"
    /// Two codes.
    case codeTwice = "code-twice"
    /// A code that was never given out.
    case unknownCode = "unknown-code"
    /// Another `state` than the one that was sent.
    case wrongState = "wrong-state"
    /// No `state`.
    case noState = "no-state"
    /// An `iss` of another provider.
    case wrongResponseIssuer = "wrong-response-issuer"
    /// No `iss`, although discovery announces it.
    case noResponseIssuer = "no-response-issuer"

    // The ID token.
    /// Another nonce than the one that was sent.
    case wrongNonce = "wrong-nonce"
    /// No nonce.
    case noNonce = "no-nonce"
    /// Expired an hour ago.
    case expired
    /// Issued an hour from now.
    case fromTheFuture = "from-the-future"
    /// For another client.
    case wrongAudience = "wrong-audience"
    /// For this client and another, and `azp` is the other.
    case wrongAuthorizedParty = "wrong-authorized-party"
    /// By another issuer.
    case wrongIssuer = "wrong-issuer"
    /// No `sub`.
    case noSubject = "no-subject"
    /// An `at_hash` of another access token.
    case wrongTokenHash = "wrong-token-hash"
    /// `alg` is `none` and there is no signature.
    case unsigned
    /// A signature that is not of these bytes.
    case wrongSignature = "wrong-signature"
    /// Signed with a key that the key set does not have.
    case unknownKey = "unknown-key"

    // The token endpoint.
    /// No ID token.
    case noIDToken = "no-id-token"
    /// `invalid_grant`.
    case refusedGrant = "refused-grant"
    /// Status 500.
    case brokenTokens = "broken-tokens"
    /// Status 200 and a page instead of JSON.
    case pageForTokens = "page-for-tokens"
    /// An answer after ``DevelopmentProvider/Configuration/slowness``.
    case slow

    // UserInfo.
    /// The claims of another person.
    case otherSubject = "other-subject"
    /// Status 500.
    case brokenUserInfo = "broken-userinfo"

    // The person.
    /// An e-mail address that was never verified.
    case unverifiedEmail = "unverified-email"
    /// No e-mail address anywhere.
    case noEmail = "no-email"

    /// The choice's text.
    var label: String {
        switch self {
        case .serverError: "Answer: error server_error"
        case .unavailable: "Answer: error temporarily_unavailable"
        case .noCode: "Answer: no code"
        case .codeTwice: "Answer: two codes"
        case .unknownCode: "Answer: a code that does not exist"
        case .wrongState: "Answer: wrong state"
        case .noState: "Answer: no state"
        case .wrongResponseIssuer: "Answer: wrong iss"
        case .noResponseIssuer: "Answer: no iss"
        case .wrongNonce: "ID token: wrong nonce"
        case .noNonce: "ID token: no nonce"
        case .expired: "ID token: expired"
        case .fromTheFuture: "ID token: issued in the future"
        case .wrongAudience: "ID token: wrong audience"
        case .wrongAuthorizedParty: "ID token: wrong authorized party"
        case .wrongIssuer: "ID token: wrong issuer"
        case .noSubject: "ID token: no subject"
        case .wrongTokenHash: "ID token: wrong at_hash"
        case .unsigned: "ID token: unsigned"
        case .wrongSignature: "ID token: wrong signature"
        case .unknownKey: "ID token: unknown key"
        case .noIDToken: "Token endpoint: no ID token"
        case .refusedGrant: "Token endpoint: invalid_grant"
        case .brokenTokens: "Token endpoint: server error"
        case .pageForTokens: "Token endpoint: a page, no JSON"
        case .slow: "Token endpoint: slow"
        case .otherSubject: "UserInfo: of another person"
        case .brokenUserInfo: "UserInfo: server error"
        case .unverifiedEmail: "Person: e-mail not verified"
        case .noEmail: "Person: no e-mail"
        }
    }

    /// Whether the relying party must be made to ask UserInfo.
    var needsUserInfo: Bool { self == .otherSubject || self == .brokenUserInfo }
}
