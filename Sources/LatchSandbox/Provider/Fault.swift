/// A fault that the provider can simulate. The sign-in page offers all of them.
///
/// A relying party must not sign anyone in after any of them. The UserInfo faults also omit the claims about the person
/// from the ID token, so that the relying party must request UserInfo.
///
/// Source: OpenID Connect Core §3.1.2.6, §3.1.3.7 and §5.3.4; RFC 9207 §2.4; RFC 6749 §3.1 and §5.2.
package enum Fault: String, CaseIterable, Sendable {
    // Faults of the authorization response.
    /// The error `server_error`.
    case serverError = "server-error"
    /// The error `temporarily_unavailable`.
    case unavailable = "temporarily-unavailable"
    /// Neither a code nor an error.
    case noCode = "no-code"
    /// Two codes.
    case codeTwice = "code-twice"
    /// A code that was never issued.
    case unknownCode = "unknown-code"
    /// A `state` that differs from the one in the request.
    case wrongState = "wrong-state"
    /// No `state`.
    case noState = "no-state"
    /// An `iss` with a different provider.
    case wrongResponseIssuer = "wrong-response-issuer"
    /// No `iss`, although the metadata announces it.
    case noResponseIssuer = "no-response-issuer"

    // Faults of the ID token.
    /// A nonce that differs from the one in the request.
    case wrongNonce = "wrong-nonce"
    /// An ID token without a nonce.
    case noNonce = "no-nonce"
    /// A token that expired an hour ago.
    case expired
    /// A token with an issue time an hour in the future.
    case fromTheFuture = "from-the-future"
    /// A token for a different client.
    case wrongAudience = "wrong-audience"
    /// A token for this client and another one, with the other one as `azp`.
    case wrongAuthorizedParty = "wrong-authorized-party"
    /// A token from a different issuer.
    case wrongIssuer = "wrong-issuer"
    /// No `sub`.
    case noSubject = "no-subject"
    /// The `at_hash` of a different access token.
    case wrongTokenHash = "wrong-token-hash"
    /// A token with the `alg` `none` and no signature.
    case unsigned
    /// A signature that does not match the token.
    case wrongSignature = "wrong-signature"
    /// A signature with a key that is not in the key set.
    case unknownKey = "unknown-key"

    // Faults of the token endpoint.
    /// No ID token.
    case noIDToken = "no-id-token"
    /// The error `invalid_grant`.
    case refusedGrant = "refused-grant"
    /// The status 500.
    case brokenTokens = "broken-tokens"
    /// The status 200 with an HTML page instead of JSON.
    case pageForTokens = "page-for-tokens"
    /// A response after a delay of ``DevelopmentProvider/Configuration/responseDelay``.
    case slow

    // Faults of UserInfo.
    /// A `sub` that differs from that of the ID token.
    case otherSubject = "other-subject"
    /// The status 500.
    case brokenUserInfo = "broken-userinfo"

    // Faults of the person's claims.
    /// An unverified e-mail address.
    case unverifiedEmail = "unverified-email"
    /// No e-mail address in any response.
    case noEmail = "no-email"

    /// The text of the choice on the sign-in page.
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
        case .pageForTokens: "Token endpoint: a page instead of JSON"
        case .slow: "Token endpoint: slow"
        case .otherSubject: "UserInfo: another person"
        case .brokenUserInfo: "UserInfo: server error"
        case .unverifiedEmail: "Person: e-mail not verified"
        case .noEmail: "Person: no e-mail"
        }
    }

    /// Whether the relying party must be forced to request UserInfo.
    var needsUserInfo: Bool { self == .otherSubject || self == .brokenUserInfo }
}
