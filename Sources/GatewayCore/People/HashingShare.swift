import Crypto
import FoundationEssentials
import HTTPMessages

/// A share of the queue of hashes, which bounds the places of those who count for it.
enum HashingShare: Hashable, Sendable {
    /// A person who is signed in, or who signs in at an address from which they have signed in before.
    case person(UUID)
    /// The sign-ins to an account at all other addresses, by the digest of the e-mail address.
    case account(SHA256Digest)
    /// A client that is not signed in, by its address or a network of it.
    case address(AddressKey)

    /// Returns the number of places of the share in a queue: a quarter, or half for a network. At least 1.
    func size(of queue: Int) -> Int {
        if case .address(let key) = self, key.allowance > 1 { max(1, queue / 2) } else { max(1, queue / 4) }
    }
}
