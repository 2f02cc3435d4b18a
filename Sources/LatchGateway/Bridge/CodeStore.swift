public import Crypto

/// Where one-time codes wait to be exchanged.
///
/// A store knows the SHA-256 of a code and never the code, and of what it keeps only sealed bytes: who reads the store can
/// neither use a code nor make one.
///
/// Source: OX-4, OX-15; RFC 6819 §5.1.5.3 and §5.1.5.4.
public protocol CodeStore: Sendable {
    /// Keeps `record` for `lifetime`, then forgets it.
    ///
    /// A crash afterwards may lose it, which costs its owner another sign-in.
    ///
    /// - Throws: ``GatewayError/Code/codeExists`` when a record is kept under `key` already, which stays as it is; another
    ///   error when the store does not answer, and the record may be kept all the same.
    func keep(_ record: [UInt8], under key: SHA256Digest, for lifetime: Duration) async throws

    /// Takes a record out; nil when there is none, or not any more. Of any number of callers at once, of one or several
    /// gateways, one gets it.
    ///
    /// - Throws: When the store does not answer; the record may be gone all the same.
    func take(_ key: SHA256Digest) async throws -> [UInt8]?

    /// Whether the store can be used now.
    func isReady() async -> Bool

    /// Forgets what has expired, where the store does not do so by itself; called once a minute.
    func sweep()
}

extension CodeStore {
    /// It always is.
    public func isReady() async -> Bool { true }

    /// Nothing is to be done.
    public func sweep() {}
}
