package import Crypto
package import FoundationEssentials
import HTTPMessages
import JOSE

/// A private key on the curve P-256 that signs proofs.
///
/// Source: RFC 9449 §4.2.
package struct DPoPKey: Sendable {
    private let key: SigningKey

    /// The name of the signature algorithm: `ES256`.
    package static let algorithm = SignatureAlgorithm.es256.rawValue

    /// Makes a new random key.
    ///
    /// - Throws: When OpenSSL fails.
    package init() throws {
        key = try SigningKey.generate(.es256)
    }

    /// Reads a key that ``pem()`` returned.
    ///
    /// - Throws: When the text is not an unencrypted private key on P-256.
    package init(pem: Secret) throws {
        key = try SigningKey(pem: pem, algorithm: .es256)
    }

    /// Returns the private key as unencrypted PKCS#8 in PEM.
    ///
    /// - Throws: When OpenSSL fails.
    package func pem() throws -> Secret { try key.privatePEM() }

    /// The SHA-256 of the public key in base64url.
    package var thumbprint: String { key.publicKey.thumbprint }

    /// Returns a proof for one request.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - address: The address of the request. Its query and fragment are left out.
    ///   - token: The access token of the request. Nil when it has none.
    ///   - nonce: The nonce that the server last sent. Nil when it sent none.
    ///   - now: The current time.
    /// - Returns: The value of the field ``DPoPProof/field``.
    /// - Throws: When OpenSSL fails.
    package func proof(
        method: String, address: String, token: Secret? = nil, nonce: String? = nil, at now: Date
    ) throws -> String {
        let claims: [JSONValue.Member?] = [
            .init("jti", .string(Base64URL.encode(SecureRandom.bytes(16)))), .init("htm", .string(method)),
            .init("htu", .string(String(address.prefix { $0 != "?" && $0 != "#" }))),
            .init("iat", .number(now.timeIntervalSince1970.rounded(.down))),
            token.map { .init("ath", .string(Base64URL.encode(SHA256.digest($0).bytes))) },
            nonce.map { .init("nonce", .string($0)) },
        ]
        return try key.sign(
            payload: JSONValue.object(claims.compactMap { $0 }).encoded(), type: DPoPProof.type, embedsKey: true)
    }
}
