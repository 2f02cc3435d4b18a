import Crypto
package import FoundationEssentials
import HTTPMessages

/// Whom a hash is computed for.
package struct HashingCaller: Sendable {
    /// The shares of the queue that the hash counts for. Callers with the same first share take turns as one.
    let shares: [HashingShare]
    /// The address of a client that is not signed in.
    let address: AddressKey?

    private init(_ shares: [HashingShare], at address: ClientAddress? = nil) {
        let key = address.map { AddressKey($0) }
        self.shares = shares + (key?.all ?? []).map(HashingShare.address)
        self.address = key
    }

    /// The server or an administrator, without a share.
    package static let server = HashingCaller([])

    /// A person who is signed in.
    package static func person(_ id: UUID) -> HashingCaller { HashingCaller([.person(id)]) }

    /// A client that is not signed in and uses no account.
    package static func from(_ address: ClientAddress) -> HashingCaller { HashingCaller([], at: address) }

    /// A client that signs in.
    ///
    /// - Parameters:
    ///   - email: The address that was typed. There may be no such account.
    ///   - person: The person, at an address from which they have signed in; nil elsewhere. So those who only know the
    ///     e-mail address do not use up the person's places.
    ///   - address: The address of the client.
    /// - Returns: The caller.
    static func signingIn(
        _ email: EmailAddress, as person: UUID?, from address: ClientAddress
    ) -> HashingCaller {
        HashingCaller([person.map(HashingShare.person) ?? .account(SHA256.digest(email.text))], at: address)
    }
}
