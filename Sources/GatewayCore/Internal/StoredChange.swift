package import Crypto
import Database
package import FoundationEssentials

/// A change of the stored data by another process, as far as it concerns values in memory.
///
/// Source: the triggers of ``Schema/postgreSQLMigrations``.
package enum StoredChange: Sendable, Hashable {
    /// A session changed other than by its use. The value is the hash of its token.
    case session(SHA256Digest)
    /// A person or one of the person's identities changed.
    case person(UUID)
    /// An API key was changed or revoked.
    case key(UUID)
    /// The keys that sign tokens changed.
    case signingKeys
    /// Files of the picture library changed.
    case assets
    /// Bans of addresses changed.
    case bans

    /// Parses the message of a trigger, such as `person 7b3e…`. Nil for a message that this version does not know, so
    /// that anything may have changed.
    package init?(_ message: String) {
        let parts = message.split(separator: " ", maxSplits: 1)
        switch (parts.first, parts.dropFirst().first) {
        case ("session", let hash?):
            let bytes = Data(base64Encoded: String(hash)).map { [UInt8]($0) }
            guard let digest = bytes.flatMap(SHA256Digest.init(bytes:)) else { return nil }
            self = .session(digest)
        case ("person", let id?):
            guard let id = UUID(text: String(id)) else { return nil }
            self = .person(id)
        case ("key", let id?):
            guard let id = UUID(text: String(id)) else { return nil }
            self = .key(id)
        case ("signing-keys", nil): self = .signingKeys
        case ("assets", nil): self = .assets
        case ("bans", nil): self = .bans
        default: return nil
        }
    }
}
