public import Crypto
import FoundationEssentials
import Wire

/// A server that may ask what a token is worth.
public struct IntrospectionClient: Sendable, Equatable {
    /// The fewest bytes of a secret: nobody guesses one of them, so guesses need not be counted.
    public static let minimumSecretBytes = 32

    /// Its `client_id`.
    public let id: String
    /// Its `client_secret`.
    public let secret: Secret

    /// Makes a client.
    ///
    /// - Throws: ``GatewayError/Code/weakPassword`` when the secret is shorter than ``minimumSecretBytes``.
    public init(id: String, secret: Secret) throws(GatewayError) {
        guard secret.count >= Self.minimumSecretBytes else {
            throw GatewayError(
                .weakPassword,
                "The secret of the introspection client '\(id)' is shorter than \(Self.minimumSecretBytes) bytes; make one "
                    + "with 'openssl rand -hex 32'.")
        }
        self.id = id
        self.secret = secret
    }

    /// The `Authorization` field that Basic makes of id and secret, hashed: who compares hashes tells nothing by the time
    /// that it takes.
    var basicField: SHA256Digest {
        let halves = FormURLEncoded.encode([(id, secret.reveal())]).split(separator: "=", maxSplits: 1)
        return SHA256.digest("Basic " + Data(halves.joined(separator: ":").utf8).base64EncodedString())
    }
}
