import Crypto
import HTTPMessages

/// Computes the digests under which attempts are counted in the database. They have a fixed size, however long an
/// e-mail address a client sends.
///
/// With a key, a stolen database does not reveal which addresses and accounts were tried. All gateways on a database
/// must have the same key, or none: otherwise each counts on its own.
struct AttemptDigests: Sendable {
    /// The key that the gateways share; nil for plain SHA-256.
    let key: Secret?

    /// Returns the digest of a client's address.
    func address(_ address: AddressKey) -> [UInt8] { digest("address", address.bytes) }

    /// Returns the digest of an account, whether or not it exists.
    func account(_ email: EmailAddress) -> [UInt8] { digest("account", Array(email.text.utf8)) }

    /// Returns the digest of an account for clients at one address.
    func account(_ email: EmailAddress, at address: AddressKey) -> [UInt8] {
        digest("account at address", address.bytes + Array(email.text.utf8))
    }

    private func digest(_ kind: StaticString, _ bytes: [UInt8]) -> [UInt8] {
        let message = Array("\(kind) ".utf8) + bytes
        return key.map { HMACSHA256.code(of: message, key: $0).bytes } ?? SHA256.digest(message).bytes
    }
}
