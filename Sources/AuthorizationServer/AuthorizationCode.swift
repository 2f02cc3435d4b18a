import Crypto
import FoundationEssentials
import GatewayCore
import HTTPMessages
import OAuth
import Primitives
import SignInBridge

/// The record of an authorization code. The session is created when the code is exchanged, not before.
///
/// Source: RFC 6749 §4.1.2.
struct AuthorizationCode: Sendable {
    let grant: ClientGrant
    let redirect: String
    /// The code challenge of the request. Nil for a client that need not send one.
    let challenge: PKCE.Challenge?
    let nonce: String?
    /// The key that the client's tokens must be bound to. Nil when the client named none.
    let keyThumbprint: String?
    let person: UUID
    /// How often all sessions of the person had been ended by then.
    let sessionEpoch: Int
    /// When the person authenticated, to the second.
    let authenticated: Date
    /// How the person authenticated.
    let methods: AuthenticationMethods
    /// The session of the browser in which the person allowed the grant.
    let browser: SessionID
    /// When the code expires, regardless of the store.
    let expires: Date

    private static let context = Array("latchstring authorization code 2".utf8)

    init(
        _ parameters: AuthorizationParameters, allowedIn session: Session, expires: Date
    ) {
        grant = parameters.grant
        redirect = parameters.destination.redirect
        challenge = parameters.challenge
        nonce = parameters.nonce
        keyThumbprint = parameters.keyThumbprint
        person = session.person.id
        sessionEpoch = session.person.sessionEpoch
        authenticated = session.authenticated
        methods = session.methods
        browser = session.id
        self.expires = expires
    }

    /// Whether the `code_verifier` of a request belongs to the code. For a code without a challenge it must be missing:
    /// otherwise somebody has removed the challenge from the client's request.
    ///
    /// Source: RFC 7636 §4.6; RFC 9700 §2.1.1.
    func isVerified(by verifier: String?) -> Bool {
        guard let challenge else { return verifier == nil }
        return verifier.flatMap { PKCE.Verifier($0) }.map(challenge.matches) ?? false
    }

    /// Returns the record sealed for a code, ready to be stored.
    func sealed(for code: OneTimeCode, _ keys: BridgeKeys) throws(CryptoError) -> [UInt8] {
        let texts = [
            grant.client, grant.scopes.joined(separator: " "), grant.audience.joined(separator: " "), redirect,
            challenge?.text ?? "", nonce.map { "n" + $0 } ?? "", person.uuidString, browser.rawValue,
            methods.text, keyThumbprint ?? "",
        ].map { Array($0.utf8) }
        let numbers = [Int64(sessionEpoch), Self.seconds(authenticated), Self.seconds(expires)]
        return try SealedFields.seal(
            texts + numbers.map { [UInt8](bigEndian: $0) }, key: keys.code, context: Self.context + code.key.bytes)
    }

    /// Opens a record. Nil for bytes that were not sealed for this code.
    init?(opening box: [UInt8], for code: OneTimeCode, _ keys: BridgeKeys) {
        guard let fields = SealedFields.open(box, key: keys.code, context: Self.context + code.key.bytes),
            fields.count == 13
        else { return nil }
        let texts = fields.prefix(10).compactMap { String(validating: $0, as: UTF8.self) }
        let numbers = fields.suffix(3).compactMap(\.bigEndian)
        guard texts.count == 10, numbers.count == 3, let person = UUID(uuidString: texts[6]) else {
            return nil
        }
        challenge = texts[4].isEmpty ? nil : PKCE.Challenge(texts[4])
        guard challenge != nil || texts[4].isEmpty else { return nil }
        func words(_ text: String) -> [String] { text.split(atByte: " ").map(String.init) }
        grant = ClientGrant(client: texts[0], scopes: words(texts[1]), audience: words(texts[2]))
        redirect = texts[3]
        nonce = texts[5].isEmpty ? nil : String(texts[5].dropFirst())
        self.person = person
        browser = SessionID(rawValue: texts[7])
        methods = AuthenticationMethods(reported: words(texts[8]))
        keyThumbprint = texts[9].isEmpty ? nil : texts[9]
        sessionEpoch = Int(numbers[0])
        authenticated = Date(timeIntervalSince1970: Double(numbers[1]))
        expires = Date(timeIntervalSince1970: Double(numbers[2]))
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }
}
