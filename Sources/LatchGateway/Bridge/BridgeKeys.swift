import Crypto

/// The keys of the bridge, all derived from one secret of 32 bytes.
///
/// Gateways with the same secret complete each other's sign-ins.
struct BridgeKeys: Sendable {
    /// Seals the state that goes through the browser.
    let state: Secret
    /// Seals what is kept under a one-time code.
    let code: Secret
    /// Derives what a sign-in says to the identity provider from the browser's secret.
    let browser: Secret
    /// Seals the private halves of the keys that tokens are signed with.
    let signing: Secret
    /// Ties the forms of pages to the browser that they were made for.
    let form: Secret

    /// The keys of the secret in the file that the settings name, which is made when it is not there.
    ///
    /// - Throws: ``GatewayError/Code/file`` when the file cannot be used.
    static func open(_ settings: GatewaySettings) throws(GatewayError) -> BridgeKeys {
        if let path = settings.bridge.keyFile { return BridgeKeys(try BridgeKeyFile(path: path).secret()) }
        guard let database = settings.databasePath else { return BridgeKeys(Secret.random(32)) }
        let folder = database.lastIndex(of: "/").map { String(database[...$0]) } ?? ""
        return BridgeKeys(try BridgeKeyFile(path: folder + "bridge.key").secret())
    }

    /// Derives the keys.
    ///
    /// Source: RFC 5869 §2.3, one block of its expansion for each key; the secret is uniformly random already.
    init(_ secret: Secret) {
        func key(_ name: StaticString) -> Secret {
            Secret(bytes: HMACSHA256.code(of: Array("latchstring bridge \(name)".utf8) + [1], key: secret).bytes)
        }
        state = key("state")
        code = key("code")
        browser = key("browser")
        form = key("form")
        signing = key("signing")
    }
}
