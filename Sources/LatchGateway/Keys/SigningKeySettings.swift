public import JOSE

/// How the keys that tokens are signed with come and go.
public struct SigningKeySettings: Sendable, Equatable {
    /// How old a key may be before another takes its place.
    public var rotation = Duration.seconds(90 * 86_400)
    /// What new keys sign by: `ES256` or `EdDSA`.
    public var algorithm = SignatureAlgorithm.es256

    /// How long a new key is shown before it signs, so that who remembers the keys knows it by then.
    static let announcement = Duration.seconds(600)
    /// How long others may remember the keys.
    static let memory = Duration.seconds(300)

    /// Makes settings of defaults.
    public init() {}
}
