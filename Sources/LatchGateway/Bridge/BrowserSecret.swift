import Crypto
import FoundationEssentials
import OAuth

/// What ties a sign-in to the browser that began it: a secret in a cookie of its own, and all that is derived from it.
///
/// Each sign-in has an id and a cookie named after it, so that two in one browser do not disturb each other. The nonce and
/// the verifier that the identity provider is shown are derived from the secret and the gateway's key: neither ever stands
/// in an address, and no gateway has to remember them.
///
/// Source: RFC 9700 §4.7.1; RFC 8252 §8.9; OpenID Connect Core §15.5.2.
struct BrowserSecret: Sendable {
    /// The sign-in's id, 16 characters: four bytes of the time it began, greatest first, and eight random ones.
    let id: String
    /// 32 random bytes as base64url.
    let secret: Secret

    /// Makes the secret of a new sign-in.
    init(began: Date) {
        let seconds = UInt32(clamping: Int64(began.timeIntervalSince1970))
        let time = [UInt8](bigEndian: Int64(seconds)).suffix(4)
        id = Base64URL.encode(time + SecureRandom.bytes(8))
        secret = Secret(Base64URL.encode(SecureRandom.bytes(32)))
    }

    /// Takes a cookie's name and value; nil when they are none of ours.
    init?(id: String, value: String) {
        guard Self.age(id) != nil, Base64URL.decode(value)?.count == 32 else { return nil }
        self.id = id
        secret = Secret(value)
    }

    /// Something to order ids by, the one that began first first; nil when the text is no id.
    static func age(_ id: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(id), bytes.count == 12 else { return nil }
        return bytes
    }

    /// What the state holds of the secret.
    var digest: SHA256Digest { SHA256.digest(secret) }

    /// The nonce of the ID token.
    func nonce(_ keys: BridgeKeys) -> String {
        Base64URL.encode(derived("nonce", keys))
    }

    /// The verifier of the exchange with the identity provider.
    func verifier(_ keys: BridgeKeys) -> PKCE.Verifier {
        guard let verifier = PKCE.Verifier(Base64URL.encode(derived("verifier", keys))) else {
            preconditionFailure("32 bytes make 43 characters of base64url, which every verifier may have.")
        }
        return verifier
    }

    private func derived(_ name: StaticString, _ keys: BridgeKeys) -> [UInt8] {
        secret.withBytes { HMACSHA256.code(of: Array("\(name):".utf8) + $0, key: keys.browser).bytes }
    }
}
