package import Crypto

/// A store of one-time codes that wait to be exchanged.
///
/// A store receives the SHA-256 of a code, never the code, and the record as sealed bytes. A reader of the store can
/// neither use a code nor make one.
///
/// Source: OX-4, OX-15; RFC 6819 §5.1.5.3 and §5.1.5.4.
package protocol CodeStore: Sendable {
    /// Stores `record` for `lifetime`, then deletes it.
    ///
    /// An owner has at most ``CodeOwner/maximum`` records. Beyond it the one that was stored first is deleted, so that
    /// somebody who gets many codes displaces those of nobody else. A record without an owner has no share.
    ///
    /// A crash may lose a stored record. The person must then sign in again.
    ///
    /// - Throws: ``GatewayError/Code/codeExists`` when a record is already stored under `key`; that record does not
    ///   change. Another error when the store does not respond, in which case the record may be stored nevertheless.
    func save(_ record: [UInt8], under key: SHA256Digest, for lifetime: Duration, of owner: CodeOwner?) async throws

    /// Returns a record and leaves it there. Returns nil when there is none or it has expired.
    ///
    /// - Throws: When the store does not respond.
    func find(_ key: SHA256Digest) async throws -> [UInt8]?

    /// Removes a record and returns it. Returns nil when there is none or it has expired. If several callers take it at
    /// the same time, even in several gateways, only one of them gets it.
    ///
    /// - Throws: When the store does not respond; the record may be removed nevertheless.
    func consume(_ key: SHA256Digest) async throws -> [UInt8]?

    /// The difference between the clocks of the gateways that share the store for which a record is still accepted. A
    /// record may therefore live longer by this time.
    var toleratedClockDifference: Duration { get }

    /// Whether the store can be used at the moment.
    func isReady() async -> Bool

    /// Deletes expired records, in stores that do not do so automatically. Called once a minute.
    func sweep() async
}

extension CodeStore {
    /// Zero: the store belongs to one gateway.
    package var toleratedClockDifference: Duration { .zero }

    /// True: the store is always ready.
    package func isReady() async -> Bool { true }
}
