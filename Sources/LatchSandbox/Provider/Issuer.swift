import Synchronization

/// The provider's own address. It is part of responses, and is known once the provider listens.
final class Issuer: Sendable {
    private let address = Mutex("")

    /// The address. Empty until the provider listens; no request can arrive before.
    var url: String { address.withLock { $0 } }

    func set(_ url: String) {
        address.withLock { $0 = url }
    }
}
