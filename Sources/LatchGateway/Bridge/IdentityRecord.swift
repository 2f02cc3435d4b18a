import Crypto
import FoundationEssentials
import OAuth
import OpenIDConnect
import Wire

/// What a one-time code stands for where it is decided later who the identity is here: the client may want to be signed in
/// by it, or to have it linked to the person who is.
///
/// Source: contract of Immich, endpoints: `/oauth/callback` and `/oauth/link` take the same address.
struct IdentityRecord: Sendable {
    /// The challenge that the client's verifier must fit.
    let challenge: PKCE.Challenge
    /// Who signed in at the provider.
    let identity: ProviderIdentity
    /// The identity provider's id.
    let provider: String
    /// When the provider said who it is, to the millisecond. A person who is signed out later does not come in by the code.
    let answered: Date
    /// When the code is not good any more, whatever the store thinks, to the second.
    let expires: Date

    private static let context = Array("latchstring identity 2".utf8)

    /// The record as a store may have it, sealed for this code; see ``CodeRecord/sealed(for:_:)``.
    func sealed(for code: OneTimeCode, _ keys: BridgeKeys) throws(CryptoError) -> [UInt8] {
        let head = [
            Array(challenge.text.utf8), Array(provider.utf8),
            [UInt8](bigEndian: Int64(expires.timeIntervalSince1970.rounded(.up))),
            [UInt8](bigEndian: Int64((answered.timeIntervalSince1970 * 1_000).rounded(.down))),
        ]
        // Somebody in many groups is longer than a field may be.
        let person = JSON.encode(identity)
        let pieces = stride(from: 0, to: person.count, by: Self.pieceCount).map { start in
            Array(person[start..<min(start + Self.pieceCount, person.count)])
        }
        return try SealedFields.seal(head + pieces, key: keys.code, context: Self.context + code.key.bytes)
    }

    private static let pieceCount = 32_768

    /// Opens a record; nil for bytes that were not sealed for this code.
    init?(opening box: [UInt8], for code: OneTimeCode, _ keys: BridgeKeys) {
        guard let fields = SealedFields.open(box, key: keys.code, context: Self.context + code.key.bytes),
            fields.count >= 5,
            let challenge = String(validating: fields[0], as: UTF8.self).flatMap(PKCE.Challenge.init),
            let provider = String(validating: fields[1], as: UTF8.self), let expires = fields[2].bigEndian,
            let answered = fields[3].bigEndian,
            let identity = try? JSON.decode(ProviderIdentity.self, from: Array(fields[4...].joined()))
        else { return nil }
        self.init(
            challenge: challenge, identity: identity, provider: provider,
            answered: Date(timeIntervalSince1970: Double(answered) / 1_000),
            expires: Date(timeIntervalSince1970: Double(expires)))
    }

    /// Makes a record.
    init(
        challenge: PKCE.Challenge, identity: ProviderIdentity, provider: String, answered: Date, expires: Date
    ) {
        self.challenge = challenge
        self.identity = identity
        self.provider = provider
        self.answered = answered
        self.expires = expires
    }
}
