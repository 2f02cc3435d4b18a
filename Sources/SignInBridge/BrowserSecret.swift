package import Crypto
package import FoundationEssentials
package import OAuth

/// The secret that binds a sign-in to the browser that began it, stored in a separate cookie.
///
/// Each sign-in has an id and a cookie named after it, so that two sign-ins in one browser do not affect each other.
/// The nonce and the verifier for the identity provider are derived from the secret and the gateway's key. They never
/// occur in an address, and the gateway does not have to store them.
///
/// Source: RFC 9700 §4.7.1; RFC 8252 §8.9; OpenID Connect Core §15.5.2.
package struct BrowserSecret: Sendable {
    /// The id of the sign-in, 16 characters of base64url: its start in Unix seconds as four bytes, big-endian, and
    /// eight random bytes.
    package let id: String
    /// 32 random bytes as base64url.
    package let secret: Secret

    /// Makes the secret of a new sign-in.
    package init(startedAt: Date) {
        let seconds = UInt32(clamping: Int64(startedAt.timeIntervalSince1970))
        let time = [UInt8](bigEndian: Int64(seconds)).suffix(4)
        id = Base64URL.encode(time + SecureRandom.bytes(8))
        secret = Secret(Base64URL.encode(SecureRandom.bytes(32)))
    }

    /// Makes a secret from a cookie's id and value. Returns nil when this type did not make them.
    package init?(id: String, value: String) {
        guard Self.age(id) != nil, Base64URL.decode(value)?.count == 32 else { return nil }
        self.id = id
        secret = Secret(value)
    }

    /// Returns a sort key for ids, which orders them by the start of their sign-ins. Nil when the text is not an id.
    package static func age(_ id: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(id), bytes.count == 12 else { return nil }
        return bytes
    }

    /// The SHA-256 of the secret, which the state contains.
    package var digest: SHA256Digest { SHA256.digest(secret) }

    /// Returns the nonce for the ID token.
    package func nonce(_ keys: BridgeKeys) -> String {
        Base64URL.encode(derived("nonce", keys))
    }

    /// Returns the PKCE verifier for the exchange with the identity provider.
    package func verifier(_ keys: BridgeKeys) -> PKCE.Verifier {
        guard let verifier = PKCE.Verifier(Base64URL.encode(derived("verifier", keys))) else {
            preconditionFailure("32 bytes make 43 characters of base64url, which every verifier may have.")
        }
        return verifier
    }

    private func derived(_ name: StaticString, _ keys: BridgeKeys) -> [UInt8] {
        secret.withBytes { HMACSHA256.code(of: Array("\(name):".utf8) + $0, key: keys.browser).bytes }
    }
}
