public import Crypto
public import FoundationEssentials
import JOSE
import Wire

/// What an identity provider says of a sign-out there, once it was found true.
///
/// Source: OpenID Connect Back-Channel Logout 1.0 §2.4 and §2.6.
public struct LogoutToken: Sendable, Equatable {
    /// The provider's name for itself.
    public let issuer: String
    /// The person's name at the provider; nil when it is about a session alone.
    public let subject: String?
    /// The session at the provider; nil when it is about all of the person's.
    public let sessionID: String?
    /// The token's own name, `jti`; the provider gives it to no other.
    public let id: String
    /// When it is refused from, by the clock that it was checked by.
    public let expires: Date

    /// What the claims are compared with.
    struct Expectation: Sendable {
        var issuer: String
        var clientID: String
        var now: Date
        var maximumClockSkew: Duration
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// How old a token may be that does not say when it expires.
    private static let maximumAge = 600.0

    /// Checks the claims of a token whose signature is good.
    init(checking claims: [UInt8], against expected: Expectation) throws(OpenIDConnectError) {
        let reader = try ClaimReader(parsing: claims, what: "The logout token of '\(expected.issuer)'")
        guard try reader.requiredText("iss").isExactly(expected.issuer) else {
            throw reader.bad("its 'iss' is another: it comes from somebody else.")
        }
        guard try reader.texts("aud").contains(where: expected.clientID.isExactly) else {
            throw reader.bad("its 'aud' does not name this client: it is meant for somebody else.")
        }
        let (now, skew) = (expected.now.timeIntervalSince1970, expected.maximumClockSkew / .seconds(1))
        let issue = try reader.requiredMoment("iat")
        guard issue <= now + skew else {
            throw reader.bad("it comes from the future; check the clocks of both machines.")
        }
        let end = min(try reader.moment("exp") ?? .infinity, issue + Self.maximumAge) + skew
        guard now < end else { throw reader.bad("it has expired; check the clocks of both machines.") }
        guard reader.value["events"]?[Self.event]?.members != nil else {
            throw reader.bad("its 'events' do not tell of a sign-out.")
        }
        // An ID token has one, and must not be taken for a sign-out.
        guard reader.value["nonce"] == nil else { throw reader.bad("it has a 'nonce', which no logout token has.") }
        id = try reader.requiredText("jti")
        expires = Date(timeIntervalSince1970: end)
        issuer = expected.issuer
        subject = reader.value["sub"] == nil ? nil : try reader.subject()
        sessionID = try reader.text("sid")
        guard subject != nil || sessionID != nil else { throw reader.bad("it names neither 'sub' nor 'sid'.") }
    }

    /// The issuer that a token names, before anything of it is believed: to know by whose keys it is to be checked.
    public static func unverifiedIssuer(of text: Secret) -> String? {
        guard let signature = try? JSONWebSignature(parsing: text.reveal()),
            let claims = try? JSONValue(parsing: signature.payload)
        else { return nil }
        return claims["iss"]?.string
    }
}

extension RelyingParty {
    /// Checks a logout token: its signature by the provider's keys, then its claims.
    ///
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    public func logoutToken(_ text: Secret) async throws -> LogoutToken {
        let provider = try await metadata()
        let signature = try await verified(
            text, what: "The logout token of '\(provider.issuer)'", from: provider, type: "logout+jwt")
        return try LogoutToken(
            checking: signature.payload,
            against: LogoutToken.Expectation(
                issuer: provider.issuer, clientID: settings.clientID, now: now(),
                maximumClockSkew: settings.maximumClockSkew))
    }
}
