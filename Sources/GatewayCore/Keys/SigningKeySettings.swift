package import JOSE

/// The settings of the keys that sign tokens.
package struct SigningKeySettings: Sendable, Equatable {
    /// The age at which a key is replaced. 90 days by default.
    package var rotation = Duration.seconds(90 * 86_400)
    /// The algorithm of new keys: `ES256`, the default, or `EdDSA`.
    package var algorithm = SignatureAlgorithm.es256

    /// How long a new key is published before it signs, so that caches of the keys contain it by then: 10 minutes.
    static let announcement = Duration.seconds(600)
    /// How long other servers may cache the keys: 5 minutes.
    package static let memory = Duration.seconds(300)

    /// Creates settings with default values.
    package init() {}
}
