/// Where one-time codes wait to be exchanged.
public enum CodeStoreKind: String, Sendable, CaseIterable {
    /// In the memory of this gateway alone.
    case memory
    /// In Redis, where other gateways find them.
    case redis
}
