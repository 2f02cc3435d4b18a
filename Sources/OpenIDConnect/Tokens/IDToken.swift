import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth

/// The claims of an ID token with a valid signature.
///
/// Source: OpenID Connect Core §2, §3.1.3.6 and §3.1.3.7.
struct IDToken: Sendable {
    /// The expected values of the claims.
    struct Expectation: Sendable {
        var issuer: String
        var clientID: String
        var trustedAudiences: [String]
        var nonce: String
        var now: Date
        var maximumClockSkew: Duration
        /// The maximum time since the person's sign-in at the provider, in seconds. Nil when none was requested.
        var maximumAge: Double?
        /// When a sign-in began that required a new sign-in at the provider. Nil when any sign-in is accepted.
        var freshSince: Date?
        var accessToken: Secret
        var code: Secret
        /// The claim with the groups. Nil when they are not requested.
        var groupsClaim: String?
    }

    let subject: String
    let sessionID: String?
    /// When the person signed in at the provider, in seconds since 1970. Nil when the provider does not say; 0 for an
    /// invalid time.
    let authenticated: Double?
    let person: PersonClaims
    /// How the person authenticated at the provider (`amr`). Nil when the provider does not say, or not in the form of
    /// the standard.
    let methods: [String]?

    /// Checks the claims of a token with a valid signature.
    ///
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/invalidToken``, naming the claim.
    init(
        checking claims: [UInt8], signedBy algorithm: SignatureAlgorithm, against expected: Expectation
    ) throws(OpenIDConnectError) {
        let reader = try ClaimReader(parsing: claims, what: "The ID token of '\(expected.issuer)'")
        try Self.checkParties(reader, expected)
        try Self.checkTimes(reader, expected)
        guard constantTimeEqual(Array(try reader.requiredText("nonce").utf8), Array(expected.nonce.utf8)) else {
            throw reader.bad("its 'nonce' belongs to another sign-in.")
        }
        for (name, secret) in [("at_hash", expected.accessToken), ("c_hash", expected.code)] {
            guard let hash = try reader.text(name), hash != algorithm.halfHash(of: secret) else { continue }
            throw reader.bad("its '\(name)' belongs to another token or code.")
        }
        authenticated = try Self.authenticated(reader, expected)
        subject = try reader.subject()
        sessionID = try reader.sessionID()
        person = PersonClaims(reader.value, groupsClaim: expected.groupsClaim)
        methods = reader.value["amr"].flatMap { _ in try? reader.texts("amr") }
    }

    private static func checkParties(_ reader: ClaimReader, _ expected: Expectation) throws(OpenIDConnectError) {
        guard try reader.requiredText("iss").isExactly(expected.issuer) else {
            throw reader.bad("its 'iss' names another issuer.")
        }
        let audiences = try reader.texts("aud")
        guard audiences.contains(where: expected.clientID.isExactly) else {
            throw reader.bad("its 'aud' does not contain this client.")
        }
        let trusted = [expected.clientID] + expected.trustedAudiences
        guard audiences.allSatisfy({ audience in trusted.contains { audience.isExactly($0) } }) else {
            throw reader.bad("its 'aud' also contains audiences that are not trusted; configure the trusted ones.")
        }
        // A single audience identifies the client that requested the token.
        guard try reader.text("azp")?.isExactly(expected.clientID) ?? (audiences.count == 1) else {
            throw reader.bad("its 'azp' is missing or names another client.")
        }
    }

    private static func checkTimes(_ reader: ClaimReader, _ expected: Expectation) throws(OpenIDConnectError) {
        let now = expected.now.timeIntervalSince1970
        let skew = expected.maximumClockSkew / .seconds(1)
        let (expiry, issue) = (try reader.requiredMoment("exp"), try reader.requiredMoment("iat"))
        guard now < expiry + skew else {
            throw reader.bad("it has expired; check the clocks of both machines.")
        }
        guard issue <= now + skew, try reader.moment("nbf") ?? 0 <= now + skew else {
            throw reader.bad("its time is in the future; check the clocks of both machines.")
        }
    }

    /// Returns when the person signed in at the provider. A provider may ignore `max_age` and `prompt`, so the claim is
    /// compared with what was requested. If nothing was requested, an invalid time counts as an old sign-in.
    ///
    /// Source: OpenID Connect Core §2 and §3.1.2.1: `auth_time` is required when `max_age` was requested.
    private static func authenticated(
        _ reader: ClaimReader, _ expected: Expectation
    ) throws(OpenIDConnectError) -> Double? {
        let now = expected.now.timeIntervalSince1970
        let skew = expected.maximumClockSkew / .seconds(1)
        let isAsked = expected.maximumAge != nil || expected.freshSince != nil
        var authTime: Double?
        do {
            authTime = try reader.moment("auth_time")
        } catch {
            guard !isAsked else { throw error }
            authTime = 0
        }
        if let authTime, authTime > now + skew {
            throw reader.bad("its 'auth_time' is in the future; check the clocks of both machines.")
        }
        if let maximumAge = expected.maximumAge, now - (try reader.requiredMoment("auth_time")) > maximumAge + skew {
            throw reader.bad("the person signed in longer ago than 'max_age' allows.")
        }
        guard let began = expected.freshSince else { return authTime }
        guard let authTime else {
            throw OpenIDConnectError(
                .missingSignInTime,
                "The ID token of '\(expected.issuer)' has no 'auth_time', although 'max_age' was requested. This "
                    + "provider cannot confirm a person's identity; give its users a password.")
        }
        guard authTime >= began.timeIntervalSince1970 - skew else {
            throw OpenIDConnectError(
                .staleSignIn,
                "The provider '\(expected.issuer)' did not ask the person to sign in again, although 'max_age' was "
                    + "requested.")
        }
        return authTime
    }
}
