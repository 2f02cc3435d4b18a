import FoundationEssentials
import HTTPMessages
import JOSE

/// The claims of a token that a client sent with a request. Only the signature shows whether they are authentic.
///
/// Source: RFC 9068 §2.2 and §4; RFC 8725 §3.8 to §3.12.
struct PresentedTokenClaims: Sendable {
    let subject: String
    let sessionID: String?
    /// When the token was issued (`iat`), in seconds since 1970. Nil without the claim.
    let issued: Double?
    /// When the person signed in, in seconds since 1970: the earlier of `auth_time` and `iat`. A refreshed token has a
    /// new `iat` but the `auth_time` of the original sign-in. Nil when it is unknown: without `iat`, or with an invalid
    /// `auth_time`.
    let authenticated: Double?
    let person: PersonClaims

    /// Checks everything except the signature.
    ///
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/invalidToken``, naming the claim.
    init(
        _ signature: JSONWebSignature, of issuer: String, against expected: AccessTokenExpectation, now: Date,
        maximumClockSkew: Duration, groupsClaim: String? = nil
    ) throws(OpenIDConnectError) {
        let reader = try ClaimReader(parsing: signature.payload, what: "The token of '\(issuer)' in a request")
        guard try reader.requiredText("iss").isExactly(issuer) else {
            throw reader.bad("its 'iss' names another issuer.")
        }
        try Self.checkKind(reader, type: signature.header.type?.lowercased(), expected: expected.kind)
        try Self.checkAudience(reader, expected)
        try Self.checkTimes(reader, now: now.timeIntervalSince1970, maximumSkew: maximumClockSkew / .seconds(1))
        subject = try reader.subject()
        sessionID = try reader.text("sid")
        let issued = try reader.moment("iat")
        self.issued = issued
        let authTime = (try? reader.moment("auth_time") ?? .infinity) ?? -.infinity
        authenticated = authTime >= 0 ? issued.map { min($0, authTime) } : nil
        person = PersonClaims(reader.value, groupsClaim: groupsClaim)
    }

    /// Checks the kind of a token by its type and its claims, because one key signs tokens of every kind.
    ///
    /// An access token of RFC 9068 has its own type. Older access tokens have the type of an ID token. They are
    /// recognized by a scope, a client id or Keycloak's `typ` claim, and must not contain a claim that only ID tokens
    /// have.
    private static func checkKind(
        _ reader: ClaimReader, type: String?, expected kind: AccessTokenExpectation.Kind
    ) throws(OpenIDConnectError) {
        // A token with `cnf` requires a proof of possession of a key, which a bearer does not give.
        guard reader.value["cnf"] == nil, reader.value["events"] == nil else {
            throw reader.bad("it is bound to a key or reports an event, so it grants no access by itself.")
        }
        let isTyped = type == "at+jwt" || type == "application/at+jwt"
        guard isTyped || type == nil || type == "jwt" || type == "application/jwt" else {
            throw reader.bad("its token type is wrong.")
        }
        let word = try reader.text("typ")?.lowercased()
        switch kind {
        case .access:
            if isTyped { return }
            let isMarked = word == "bearer" || ["scope", "scp", "client_id"].contains { reader.value[$0] != nil }
            let isOther = word.map { $0 != "bearer" } ?? false
            let isID = ["at_hash", "c_hash", "s_hash"].contains { reader.value[$0] != nil }
            guard isMarked, !isOther, !isID else {
                throw reader.bad("it is not an access token; send an access token instead of an ID token.")
            }
        case .id:
            guard !isTyped, word == nil || word == "id" else { throw reader.bad("it is not an ID token.") }
        }
    }

    private static func checkAudience(
        _ reader: ClaimReader, _ expected: AccessTokenExpectation
    ) throws(OpenIDConnectError) {
        let named = try reader.texts("aud")
        guard let audiences = expected.audiences else { return }
        func isExpected(_ text: String) -> Bool { audiences.contains { text.isExactly($0) } }
        guard named.contains(where: isExpected) else {
            throw reader.bad("its 'aud' contains no accepted audience.")
        }
        guard expected.kind == .id else { return }
        // With several audiences, the authorized party says which client the token was issued to.
        guard try reader.text("azp").map(isExpected) ?? (named.count == 1) else {
            throw reader.bad("its 'azp' is missing or names another client.")
        }
    }

    private static func checkTimes(
        _ reader: ClaimReader, now: Double, maximumSkew skew: Double
    ) throws(OpenIDConnectError) {
        guard now < (try reader.requiredMoment("exp")) + skew else {
            throw reader.bad("it has expired; check the clocks of both machines.")
        }
        for name in ["iat", "nbf"] {
            guard try reader.moment(name) ?? 0 <= now + skew else {
                throw reader.bad("its time is in the future; check the clocks of both machines.")
            }
        }
    }
}
