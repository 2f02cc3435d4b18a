import GatewayCore

/// The limit that a request of the Relate Mail dialect counts for.
enum RelateMailLimit: Sendable {
    /// A list of keys, or a new key: ``RequestLimits/Kind/credentials`` of the person.
    case credentials
    /// A request that reads: ``RequestLimits/Kind/general`` of the person or key.
    case general
    /// A request that changes something else, or that revokes a key.
    case change(RequestLimits.Change)
}
