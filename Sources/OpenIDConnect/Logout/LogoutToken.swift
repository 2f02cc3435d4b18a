package import Crypto
package import FoundationEssentials
import HTTPMessages
import JOSE

/// A verified message from an identity provider about a sign-out there.
///
/// Source: OpenID Connect Back-Channel Logout 1.0 §2.4 and §2.6.
package struct LogoutToken: Sendable, Equatable {
    /// The issuer identifier of the provider.
    package let issuer: String
    /// The subject: the person's id at the provider. Nil when the token concerns only a session.
    package let subject: String?
    /// The id of the session at the provider. Nil when the token concerns all sessions of the person.
    package let sessionID: String?
    /// The unique id of the token, `jti`. The provider uses it for no other token.
    package let id: String
    /// When the token expires, according to the clock with which it was checked.
    package let expires: Date

    /// The expected values of the claims.
    struct Expectation: Sendable {
        var issuer: String
        var clientID: String
        var now: Date
        var maximumClockSkew: Duration
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// The maximum age of a token, in seconds. It also applies to a token without an expiry.
    private static let maximumAge = 600.0

    /// Checks the claims of a token with a valid signature.
    init(checking claims: [UInt8], against expected: Expectation) throws(OpenIDConnectError) {
        let reader = try ClaimReader(parsing: claims, what: "The logout token of '\(expected.issuer)'")
        guard try reader.requiredText("iss").isExactly(expected.issuer) else {
            throw reader.bad("its 'iss' names another issuer.")
        }
        guard try reader.texts("aud").contains(where: expected.clientID.isExactly) else {
            throw reader.bad("its 'aud' does not contain this client.")
        }
        let (now, skew) = (expected.now.timeIntervalSince1970, expected.maximumClockSkew / .seconds(1))
        let issue = try reader.requiredMoment("iat")
        guard issue <= now + skew else {
            throw reader.bad("its time is in the future; check the clocks of both machines.")
        }
        let end = min(try reader.moment("exp") ?? .infinity, issue + Self.maximumAge) + skew
        guard now < end else { throw reader.bad("it has expired; check the clocks of both machines.") }
        guard reader.value["events"]?[Self.event]?.members != nil else {
            throw reader.bad("its 'events' do not contain a sign-out.")
        }
        // ID tokens have a nonce. An ID token must not be accepted as a logout token.
        guard reader.value["nonce"] == nil else {
            throw reader.bad("it has a 'nonce', which a logout token must not have.")
        }
        id = try reader.requiredText("jti")
        expires = Date(timeIntervalSince1970: end)
        issuer = expected.issuer
        subject = reader.value["sub"] == nil ? nil : try reader.subject()
        sessionID = try reader.sessionID()
        guard subject != nil || sessionID != nil else { throw reader.bad("it names neither 'sub' nor 'sid'.") }
    }

    /// Returns the issuer in a token without verifying the token. Used to select the provider whose keys verify it.
    package static func unverifiedIssuer(of text: Secret) -> String? {
        guard let signature = try? JSONWebSignature(parsing: text.reveal()),
            let claims = try? JSONValue(parsing: signature.payload, repairsText: false)
        else { return nil }
        return claims["iss"]?.string
    }
}

extension RelyingParty {
    /// Verifies a logout token: its signature with the provider's keys, then its claims.
    ///
    /// - Throws: ``OpenIDConnectError``, or `CancellationError`.
    package func logoutToken(_ text: Secret) async throws -> LogoutToken {
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
