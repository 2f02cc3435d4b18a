import Crypto
import FoundationEssentials
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

    /// Returns the digest of what is guessed, by clients at one address or by all.
    func guessed(_ secret: GuessedSecret, at address: AddressKey?) -> [UInt8] {
        let place = address?.bytes ?? []
        return switch secret {
        case .password(let email):
            digest(place.isEmpty ? "account" : "account at address", place + Array(email.text.utf8))
        case .deviceCodes(let person): digest("device codes", place + Array(person.uuidString.utf8))
        }
    }

    private func digest(_ kind: StaticString, _ bytes: [UInt8]) -> [UInt8] {
        let message = Array("\(kind) ".utf8) + bytes
        return key.map { HMACSHA256.code(of: message, key: $0).bytes } ?? SHA256.digest(message).bytes
    }
}
