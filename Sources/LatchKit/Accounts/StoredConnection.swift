import FoundationEssentials
import HTTPMessages

/// Connection options that are split for storage: one part for the row, the other for the secret store.
struct StoredConnection: Sendable {
    /// The part in the row.
    let kept: ConnectionRecord
    /// The part in the secret store. It may be empty.
    let secret: SecretConnection
    /// The JSON text of ``kept``.
    let row: String

    /// Splits options. The secrets get the slot that `before` does not use.
    init(_ options: ConnectionOptions, replacing before: ConnectionRecord?) {
        var (kept, secret) = options.split()
        kept.revision = UUID().uuidString
        kept.slot = kept.hasSecrets ? before?.freeSlot : nil
        self.kept = kept
        self.secret = secret
        row = String(decoding: JSON.encode(kept), as: UTF8.self)
    }
}
