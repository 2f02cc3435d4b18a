package import Crypto
import FoundationEssentials
import GatewayCore
import OAuth

/// The code that an app gets at the end of a sign-in in the browser: 256 random bits as text, valid once.
///
/// Source: OX-4; docs/protocols/onyx.md, One-time codes.
package struct OneTimeCode: Sendable {
    /// The code, 43 characters of base64url if this type made it.
    package let text: String

    /// Makes a new code.
    package init() {
        text = Base64URL.encode(SecureRandom.bytes(32))
    }

    /// Makes a code of the text that an app sent, which may be anything.
    package init(_ text: String) {
        self.text = text
    }

    /// The key of the code in a store: its SHA-256.
    package var key: SHA256Digest { SHA256.digest(text) }
}

/// The record of a one-time code. The session is created when the code is exchanged, not before, so a code that is
/// never exchanged leaves no session.
package struct CodeRecord: Sendable, Equatable {
    /// The challenge that the app's verifier must match.
    let challenge: PKCE.Challenge
    /// The id of the person who signed in.
    let person: UUID
    /// How often all sessions of the person had been ended by then; see the schema.
    let sessionEpoch: Int
    /// The id of the identity provider.
    let provider: String
    /// The session at the provider (`sid`); nil if the provider sent none.
    let providerSession: String?
    /// When the person signed in at the provider, to the second. Nil if the provider does not say.
    let authenticated: Date?
    /// How the person authenticated at the provider.
    let methods: AuthenticationMethods
    /// When the code expires, regardless of the store, to the second.
    let expires: Date

    private static let context = Array("latchstring code 4".utf8)

    /// Returns the record sealed for this code, ready to be stored. An attacker with write access to the store cannot
    /// make a record or assign the record of one code to another.
    func sealed(for code: OneTimeCode, _ keys: BridgeKeys) throws(CryptoError) -> [UInt8] {
        try SealedFields.seal(
            [
                Array(challenge.text.utf8), Array(person.uuidString.utf8), [UInt8](bigEndian: Int64(sessionEpoch)),
                Array(provider.utf8), [UInt8](bigEndian: Int64(expires.timeIntervalSince1970.rounded(.up))),
                authenticated.map { [UInt8](bigEndian: Int64($0.timeIntervalSince1970)) } ?? [],
                Array((providerSession ?? "").utf8), Array(methods.text.utf8),
            ], key: keys.code, context: Self.context + code.key.bytes)
    }

    /// Opens a record. Returns nil for bytes that were not sealed for this code.
    init?(opening box: [UInt8], for code: OneTimeCode, _ keys: BridgeKeys) {
        guard let fields = SealedFields.open(box, key: keys.code, context: Self.context + code.key.bytes),
            fields.count == 8, fields[5].isEmpty || fields[5].bigEndian != nil,
            let challenge = String(validating: fields[0], as: UTF8.self).flatMap(PKCE.Challenge.init),
            let person = String(validating: fields[1], as: UTF8.self).flatMap(UUID.init(uuidString:)),
            let epoch = fields[2].bigEndian, let provider = String(validating: fields[3], as: UTF8.self),
            let expires = fields[4].bigEndian, let session = String(validating: fields[6], as: UTF8.self),
            let methods = String(validating: fields[7], as: UTF8.self)
        else { return nil }
        self.init(
            challenge: challenge, person: person, sessionEpoch: Int(epoch), provider: provider,
            providerSession: session.isEmpty ? nil : session,
            authenticated: fields[5].bigEndian.map { Date(timeIntervalSince1970: Double($0)) },
            methods: AuthenticationMethods(reported: methods.split(separator: " ").map(String.init)),
            expires: Date(timeIntervalSince1970: Double(expires)))
    }

    /// Makes a record.
    init(
        challenge: PKCE.Challenge, person: UUID, sessionEpoch: Int, provider: String, providerSession: String? = nil,
        authenticated: Date? = nil, methods: AuthenticationMethods = AuthenticationMethods(reported: []), expires: Date
    ) {
        self.challenge = challenge
        self.person = person
        self.sessionEpoch = sessionEpoch
        self.provider = provider
        self.providerSession = providerSession
        self.authenticated = authenticated
        self.methods = methods
        self.expires = expires
    }
}
