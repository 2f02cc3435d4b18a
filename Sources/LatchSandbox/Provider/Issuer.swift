import Synchronization

/// The provider's own address, which stands in what it answers and is known once it listens.
final class Issuer: Sendable {
    private let address = Mutex("")

    /// The address; empty until the provider listens, when nobody can ask yet.
    var url: String { address.withLock { $0 } }

    func becomes(_ url: String) {
        address.withLock { $0 = url }
    }
}
