import Crypto
import FoundationEssentials
import OAuth

/// What is kept of a sign-in that an app began which makes no PKCE pair of its own: the pair, made here, found again by the
/// `state` that comes back with the code.
///
/// It is taken once, whatever becomes of it. Who has both code and state gets the session: unlike a verifier of the app's
/// own, nothing here tells the app from another program that saw its address.
///
/// Source: TT-3, TT-4; contract of Time Tracker, b.1; RFC 7636.
struct SignInStart: Sendable, Equatable {
    /// Who sends the browser to the app.
    enum Way: UInt8, Sendable {
        /// The identity provider itself: code and state are its own.
        case app
        /// This server, once the provider has sent the browser here: the code is a one-time code.
        case gateway
    }

    let way: Way
    /// The provider's id.
    let provider: String
    /// The app's address.
    let redirect: String
    /// The secret whose challenge the code is bound to, at the provider or here.
    let verifier: PKCE.Verifier
    /// The nonce of the ID token; empty where the browser's secret has it.
    let nonce: String
    /// When it is good no longer, whatever the store thinks, to the second.
    let expires: Date

    /// How long a person may take.
    static let lifetime = Duration.seconds(600)
    private static let context = Array("latchstring start 1".utf8)

    /// What a store knows it by.
    static func key(_ state: String) -> SHA256Digest { SHA256.digest(state) }

    /// The record as a store may have it, sealed for this state.
    func sealed(for state: String, _ keys: BridgeKeys) throws(CryptoError) -> [UInt8] {
        var secret = verifier.secret.withBytes { $0 }
        defer { wipe(&secret) }
        return try SealedFields.seal(
            [
                [way.rawValue], Array(provider.utf8), Array(redirect.utf8), secret, Array(nonce.utf8),
                [UInt8](bigEndian: Int64(expires.timeIntervalSince1970)),
            ], key: keys.code, context: Self.context + Self.key(state).bytes)
    }

    /// Opens a record; nil for bytes that were not sealed for this state.
    init?(opening box: [UInt8], for state: String, _ keys: BridgeKeys) {
        let fields = SealedFields.open(box, key: keys.code, context: Self.context + Self.key(state).bytes)
        guard let fields, fields.count == 6, let way = fields[0].first.flatMap(Way.init),
            let provider = String(validating: fields[1], as: UTF8.self),
            let redirect = String(validating: fields[2], as: UTF8.self),
            let verifier = String(validating: fields[3], as: UTF8.self).flatMap(PKCE.Verifier.init),
            let nonce = String(validating: fields[4], as: UTF8.self), let expires = fields[5].bigEndian
        else { return nil }
        self.init(
            way: way, provider: provider, redirect: redirect, verifier: verifier, nonce: nonce,
            expires: Date(timeIntervalSince1970: Double(expires)))
    }

    /// Makes a record.
    init(way: Way, provider: String, redirect: String, verifier: PKCE.Verifier, nonce: String, expires: Date) {
        self.way = way
        self.provider = provider
        self.redirect = redirect
        self.verifier = verifier
        self.nonce = nonce
        self.expires = expires
    }
}
