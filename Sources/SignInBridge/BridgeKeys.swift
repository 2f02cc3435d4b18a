package import Crypto
package import GatewayCore

/// The keys of the bridge, all derived from one secret of 32 bytes.
///
/// Gateways with the same secret complete each other's sign-ins.
package struct BridgeKeys: Sendable {
    /// The key that seals the state in the browser.
    package let state: Secret
    /// The key that seals the records in the stores.
    package let code: Secret
    /// The key that derives the nonce and the PKCE verifier for the identity provider from the browser's secret.
    package let browser: Secret
    /// The key that seals the private halves of the keys that sign tokens.
    package let signing: Secret
    /// The key that binds the forms of pages to the browser that they were made for.
    package let form: Secret
    /// The key of the digests under which attempts to sign in are counted.
    package let attempts: Secret
    /// The key of the authentication codes in the refresh tokens of clients.
    package let refresh: Secret
    /// The key of the authentication codes under which the codes that people type are stored.
    package let userCode: Secret
    /// The key of the nonces that clients put into proofs of possession.
    package let nonce: Secret
    /// The key of the codes of people's PINs, which are hashed instead of the PINs.
    package let pin: Secret
    /// A value that is the same exactly for gateways with the same secret, and does not reveal it.
    package let check: [UInt8]

    /// Returns the keys of the secret in a file, which is created if it does not exist.
    ///
    /// - Parameters:
    ///   - file: The path of the file. Nil for `bridge.key` in the database's folder.
    ///   - database: The path of the database. Nil for a database in memory, with a secret that is not stored.
    /// - Returns: The keys.
    /// - Throws: ``GatewayError/Code/file`` when the file cannot be used.
    package static func open(file: String?, database: String?) throws(GatewayError) -> BridgeKeys {
        if let file { return BridgeKeys(try BridgeKeyFile(path: file).secret()) }
        guard let database else { return BridgeKeys(Secret.random(32)) }
        let folder = database.lastIndex(of: "/").map { String(database[...$0]) } ?? ""
        return BridgeKeys(try BridgeKeyFile(path: folder + "bridge.key").secret())
    }

    /// Derives the keys from a secret.
    ///
    /// Source: RFC 5869 §2.3, one block of its expansion for each key; the secret is uniformly random already.
    package init(_ secret: Secret) {
        func key(_ name: StaticString) -> Secret {
            Secret(bytes: HMACSHA256.code(of: Array("latchstring bridge \(name)".utf8) + [1], key: secret).bytes)
        }
        state = key("state")
        code = key("code")
        browser = key("browser")
        form = key("form")
        signing = key("signing")
        attempts = key("attempts")
        refresh = key("refresh tokens")
        userCode = key("user codes")
        nonce = key("proof nonces")
        pin = key("PINs")
        check = key("check").withBytes { Array($0) }
    }
}
