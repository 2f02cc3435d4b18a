import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE

/// Generates client secrets for Sign in with Apple: signed tokens that are valid for a few minutes.
///
/// Source: Apple, "Creating a client secret"; RFC 7523 §3 for the claims.
struct AppleSecret: Sendable {
    private let teamID: String
    private let clientID: String
    private let audience: String
    private let key: SigningKey

    /// Parses the key, so that an invalid one is detected before its first use.
    ///
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/misconfigured``.
    init(_ settings: ProviderSettings) throws(OpenIDConnectError) {
        guard case .apple(let teamID, let keyID, let pem) = settings.authentication else {
            throw OpenIDConnectError(.misconfigured, "Could not create Apple's client secret: no key is configured.")
        }
        guard !teamID.isEmpty, !keyID.isEmpty else {
            throw OpenIDConnectError(
                .misconfigured, "Could not create Apple's client secret: configure the team id and the key id.")
        }
        do throws(JOSEError) {
            key = try SigningKey(pem: pem, keyID: keyID, algorithm: .es256)
        } catch {
            throw OpenIDConnectError(
                .misconfigured,
                "Could not create Apple's client secret: its key is not a P-256 key in PEM format; use the "
                    + "unmodified '.p8' file from Apple.", cause: error)
        }
        self.teamID = teamID
        clientID = settings.clientID
        audience = settings.issuer
    }

    /// Returns a secret that is valid for five minutes.
    func text(at moment: Date) throws(OpenIDConnectError) -> Secret {
        let seconds = moment.timeIntervalSince1970.rounded(.down)
        let claims: JSONValue = [
            "iss": .string(teamID), "iat": .number(seconds), "exp": .number(seconds + 300), "aud": .string(audience),
            "sub": .string(clientID),
        ]
        do throws(JOSEError) {
            return Secret(try key.sign(payload: claims.encoded()))
        } catch {
            throw OpenIDConnectError(.misconfigured, "Could not create Apple's client secret.", cause: error)
        }
    }
}
