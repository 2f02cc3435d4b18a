package import Crypto
import FoundationEssentials
package import GatewayCore
import HTTPMessages

/// A server that may ask whether a token is valid.
package struct IntrospectionClient: Sendable, Equatable {
    /// The minimum length of a secret in bytes. A secret of this length cannot be guessed, so attempts need not be
    /// counted.
    static let minimumSecretBytes = 32

    /// The `client_id` of the client.
    package let id: String
    /// The `client_secret` of the client.
    package let secret: Secret

    /// Creates a client.
    ///
    /// - Throws: ``GatewayError/Code/weakPassword`` when the secret is shorter than ``minimumSecretBytes``.
    package init(id: String, secret: Secret) throws(GatewayError) {
        guard secret.count >= Self.minimumSecretBytes else {
            throw GatewayError(
                .weakPassword,
                "The secret of the introspection client '\(id)' is shorter than \(Self.minimumSecretBytes) bytes. "
                    + "Generate one with 'openssl rand -hex 32'.")
        }
        self.id = id
        self.secret = secret
    }

    /// The hash of the `Authorization` field with this id and secret in the Basic scheme. A comparison of hashes does
    /// not reveal the secret by the time that it takes.
    package var basicField: SHA256Digest {
        let halves = FormURLEncoded.encode([(id, secret.reveal())]).split(separator: "=", maxSplits: 1)
        return SHA256.digest("Basic " + Data(halves.joined(separator: ":").utf8).base64EncodedString())
    }
}
