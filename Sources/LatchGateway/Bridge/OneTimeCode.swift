import Crypto
import FoundationEssentials
import OAuth

/// What an app gets at the end of a sign-in in the browser: 256 random bits as text, good once.
///
/// Source: OX-4; contract of Onyx, b.5.
struct OneTimeCode: Sendable {
    /// 43 characters.
    let text: String

    /// Makes a new code.
    init() {
        text = Base64URL.encode(SecureRandom.bytes(32))
    }

    /// Takes what an app sent; it may be no code at all.
    init(_ text: String) {
        self.text = text
    }

    /// What a store knows the code by.
    var key: SHA256Digest { SHA256.digest(text) }
}

/// What a one-time code stands for. The session is made when the code is exchanged, not before: a code that nobody
/// exchanges leaves nothing.
struct CodeRecord: Sendable, Equatable {
    /// The challenge that the app's verifier must fit.
    let challenge: PKCE.Challenge
    /// Who signed in.
    let person: UUID
    /// How often all of the person's sessions had been ended then; see the schema.
    let sessionEpoch: Int
    /// The identity provider's id.
    let provider: String
    /// The session at the provider (`sid`); nil if the provider sent none.
    let providerSession: String?
    /// When the person signed in at the provider, if told, to the second.
    let authenticated: Date?
    /// When the code is not good any more, whatever the store thinks, to the second.
    let expires: Date

    private static let context = Array("latchstring code 3".utf8)

    /// The record as a store may have it, sealed for this code: who can write into the store can make none, nor give one
    /// code the record of another.
    func sealed(for code: OneTimeCode, _ keys: BridgeKeys) throws(CryptoError) -> [UInt8] {
        try SealedFields.seal(
            [
                Array(challenge.text.utf8), Array(person.uuidString.utf8), [UInt8](bigEndian: Int64(sessionEpoch)),
                Array(provider.utf8), [UInt8](bigEndian: Int64(expires.timeIntervalSince1970.rounded(.up))),
                authenticated.map { [UInt8](bigEndian: Int64($0.timeIntervalSince1970)) } ?? [],
                Array((providerSession ?? "").utf8),
            ], key: keys.code, context: Self.context + code.key.bytes)
    }

    /// Opens a record; nil for bytes that were not sealed for this code.
    init?(opening box: [UInt8], for code: OneTimeCode, _ keys: BridgeKeys) {
        guard let fields = SealedFields.open(box, key: keys.code, context: Self.context + code.key.bytes),
            fields.count == 7, fields[5].isEmpty || fields[5].bigEndian != nil,
            let challenge = String(validating: fields[0], as: UTF8.self).flatMap(PKCE.Challenge.init),
            let person = String(validating: fields[1], as: UTF8.self).flatMap(UUID.init(uuidString:)),
            let epoch = fields[2].bigEndian, let provider = String(validating: fields[3], as: UTF8.self),
            let expires = fields[4].bigEndian, let session = String(validating: fields[6], as: UTF8.self)
        else { return nil }
        self.init(
            challenge: challenge, person: person, sessionEpoch: Int(epoch), provider: provider,
            providerSession: session.isEmpty ? nil : session,
            authenticated: fields[5].bigEndian.map { Date(timeIntervalSince1970: Double($0)) },
            expires: Date(timeIntervalSince1970: Double(expires)))
    }

    /// Makes a record.
    init(
        challenge: PKCE.Challenge, person: UUID, sessionEpoch: Int, provider: String, providerSession: String? = nil,
        authenticated: Date? = nil, expires: Date
    ) {
        self.challenge = challenge
        self.person = person
        self.sessionEpoch = sessionEpoch
        self.provider = provider
        // A provider may send a `sid` of any length. Without it the session ends only when the provider signs the person out.
        self.providerSession = providerSession.flatMap { $0.utf8.count <= 1_024 ? $0 : nil }
        self.authenticated = authenticated
        self.expires = expires
    }
}
