package import Crypto
package import FoundationEssentials
import HTTPMessages
package import OAuth
package import OpenIDConnect

/// The record of a one-time code that stands for an identity at a provider. The request that exchanges the code decides
/// its use: the client signs in with the identity, or links it to the signed-in person.
///
/// Source: docs/protocols/immich.md, Sign-in through a provider.
package struct IdentityRecord: Sendable {
    /// The challenge that the client's verifier must match.
    package let challenge: PKCE.Challenge
    /// The identity that signed in at the provider.
    package let identity: ProviderIdentity
    /// The id of the identity provider.
    package let provider: String
    /// The latest time at which the sign-in may have begun, to the millisecond. The code is refused if the person is signed
    /// out everywhere at or after it.
    package let identifiedAt: Date
    /// When the code expires, regardless of the store, to the second.
    package let expires: Date

    private static let context = Array("latchstring identity 2".utf8)

    /// Returns the record sealed for this code, ready to be stored; see ``CodeRecord/sealed(for:_:)``.
    package func sealed(for code: OneTimeCode, _ keys: BridgeKeys) throws(CryptoError) -> [UInt8] {
        let head = [
            Array(challenge.text.utf8), Array(provider.utf8),
            [UInt8](bigEndian: Int64(expires.timeIntervalSince1970.rounded(.up))),
            // Rounded down, so that a sign-out within the same millisecond still counts as later.
            [UInt8](bigEndian: Int64((identifiedAt.timeIntervalSince1970 * 1_000).rounded(.down))),
        ]
        // The identity of a person in many groups can exceed the length of a field, so it is split.
        let encoded = JSON.encode(identity)
        let pieces = stride(from: 0, to: encoded.count, by: Self.pieceCount).map { start in
            Array(encoded[start..<min(start + Self.pieceCount, encoded.count)])
        }
        return try SealedFields.seal(head + pieces, key: keys.code, context: Self.context + code.key.bytes)
    }

    private static let pieceCount = 32_768

    /// Opens a record. Returns nil for bytes that were not sealed for this code.
    package init?(opening box: [UInt8], for code: OneTimeCode, _ keys: BridgeKeys) {
        guard let fields = SealedFields.open(box, key: keys.code, context: Self.context + code.key.bytes),
            fields.count >= 5,
            let challenge = String(validating: fields[0], as: UTF8.self).flatMap(PKCE.Challenge.init),
            let provider = String(validating: fields[1], as: UTF8.self), let expires = fields[2].bigEndian,
            let identifiedAt = fields[3].bigEndian,
            let identity = try? JSON.decode(ProviderIdentity.self, from: Array(fields[4...].joined()))
        else { return nil }
        self.init(
            challenge: challenge, identity: identity, provider: provider,
            identifiedAt: Date(timeIntervalSince1970: Double(identifiedAt) / 1_000),
            expires: Date(timeIntervalSince1970: Double(expires)))
    }

    /// Makes a record.
    package init(
        challenge: PKCE.Challenge, identity: ProviderIdentity, provider: String, identifiedAt: Date, expires: Date
    ) {
        self.challenge = challenge
        self.identity = identity
        self.provider = provider
        self.identifiedAt = identifiedAt
        self.expires = expires
    }
}
