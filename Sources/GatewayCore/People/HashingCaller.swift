package import FoundationEssentials
package import HTTPMessages

/// Whom a hash is computed for. Each has a share of the places in the queue.
package enum HashingCaller: Hashable, Sendable {
    /// The server or an administrator, without a share.
    case server
    /// A person who is signed in.
    case person(UUID)
    /// A client that is not signed in. An IPv6 address counts for its /56 and /48 networks too.
    case address(AddressKey)

    /// Returns the caller at an address.
    package static func from(_ address: ClientAddress) -> HashingCaller { .address(AddressKey(address)) }

    /// The caller whose share the same hash counts for too.
    var wider: HashingCaller? {
        guard case .address(let key) = self else { return nil }
        return key.wider.map(HashingCaller.address)
    }

    /// Returns the number of places that the caller may have in a queue. At least 1.
    func share(of queue: Int) -> Int {
        switch self {
        case .server: queue
        case .person: max(1, queue / 4)
        case .address(let key): max(1, key.allowance == 1 ? queue / 4 : queue / 2)
        }
    }
}
