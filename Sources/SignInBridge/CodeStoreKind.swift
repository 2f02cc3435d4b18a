/// The kinds of stores for one-time codes.
package enum CodeStoreKind: String, Sendable, CaseIterable {
    /// The memory of this gateway. Other gateways cannot read it.
    case memory
    /// The gateway's database, which several gateways can share.
    case database
    /// Redis, which several gateways can share.
    case redis
}
