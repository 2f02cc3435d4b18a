import FoundationEssentials

/// How a server is connected to, as it is about to be kept: the row's part, and what goes to the secret store.
struct StoredConnection: Sendable {
    /// What the row says.
    let kept: KeptConnection
    /// What the secret store gets, if anything.
    let secret: SecretConnection
    /// ``kept`` as text.
    let row: String

    /// Splits options whose secrets go to the place that those of `before` are not in.
    init(_ options: ConnectionOptions, replacing before: KeptConnection?) {
        var (kept, secret) = options.parted()
        kept.revision = UUID().uuidString
        kept.slot = kept.hasSecrets ? before?.freeSlot : nil
        self.kept = kept
        self.secret = secret
        row = String(decoding: JSON.encode(kept), as: UTF8.self)
    }
}
