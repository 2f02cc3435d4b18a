import HTTPMessages
import Synchronization

/// The addresses from which people have signed in since the gateway started, so that they come before others when it is
/// busy.
///
/// At most twice `capacity` addresses are stored. The ones without a sign-in for the longest time are forgotten first.
final class KnownAddresses: Sendable {
    private struct State {
        var young: Set<AddressKey> = []
        var old: Set<AddressKey> = []
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty collection.
    init(capacity: Int = 8_192) {
        self.capacity = max(1, capacity)
    }

    /// Records a sign-in.
    func insert(_ address: AddressKey) {
        state.withLock { state in
            guard !state.young.contains(address) else { return }
            state.old.remove(address)
            if state.young.count >= capacity { (state.old, state.young) = (state.young, []) }
            state.young.insert(address)
        }
    }

    /// Whether somebody has signed in from an address.
    func contains(_ address: AddressKey) -> Bool {
        state.withLock { $0.young.contains(address) || $0.old.contains(address) }
    }
}
