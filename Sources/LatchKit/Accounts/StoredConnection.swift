import FoundationEssentials
import HTTPMessages

/// Connection options that are split for storage: one part for the row, the other for the secret store.
struct StoredConnection: Sendable {
    /// The part in the row.
    let record: ConnectionRecord
    /// The part in the secret store. It may be empty.
    let secret: SecretConnection
    /// The JSON text of ``record``.
    let row: String

    /// Splits options. The secrets get the slot that `before` does not use.
    init(_ options: ConnectionOptions, replacing before: ConnectionRecord?) {
        var (record, secret) = options.split()
        record.revision = UUID().uuidString
        record.slot = record.hasSecrets ? before?.freeSlot : nil
        self.record = record
        self.secret = secret
        row = String(decoding: JSON.encode(record), as: UTF8.self)
    }
}
