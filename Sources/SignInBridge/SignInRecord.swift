package import Crypto
package import FoundationEssentials
import GatewayCore
package import OAuth

/// The record of a sign-in by an app that makes no PKCE pair. The gateway makes the pair and finds it again by the
/// `state` that comes back with the code.
///
/// The record can be taken once, even if the sign-in fails afterwards. Any program that has both code and state gets
/// the session. Unlike a verifier of the app, the record does not distinguish the app from another program that saw its
/// address.
///
/// Source: TT-3, TT-4; docs/protocols/time-tracker.md, Sign-in state; RFC 7636.
package struct SignInRecord: Sendable, Equatable {
    /// The server that redirects the browser to the app.
    package enum Route: UInt8, Sendable {
        /// The identity provider, with its own code and state.
        case app
        /// This server, after the provider has redirected the browser here. The code is a one-time code.
        case gateway
    }

    package let route: Route
    /// The id of the provider.
    package let provider: String
    /// The app's redirect address.
    package let redirect: String
    /// The PKCE verifier whose challenge the code is bound to, at the provider or here.
    package let verifier: PKCE.Verifier
    /// The nonce of the ID token. Empty when it is derived from the browser's secret.
    package let nonce: String
    /// When the record expires, regardless of the store, to the second.
    package let expires: Date

    /// The latest time at which the sign-in may have begun. A sign-out everywhere at or after it makes the sign-in
    /// invalid. One earlier in the same second does not.
    package var latestStart: Date { expires - Self.lifetime + .milliseconds(999) }

    /// The maximum time that a person may take to sign in.
    package static let lifetime = Duration.seconds(600)
    private static let context = Array("latchstring start 1".utf8)

    /// Returns the key of the record in a store: the SHA-256 of the context and the state. An app chooses the state, so
    /// without the context it could choose the key of another record of the store.
    package static func key(_ state: String) -> SHA256Digest { SHA256.digest(context + Array(state.utf8)) }

    /// Returns the record sealed for this state, ready to be stored.
    package func sealed(for state: String, _ keys: BridgeKeys) throws(CryptoError) -> [UInt8] {
        var secret = verifier.secret.withBytes { $0 }
        defer { wipe(&secret) }
        return try SealedFields.seal(
            [
                [route.rawValue], Array(provider.utf8), Array(redirect.utf8), secret, Array(nonce.utf8),
                [UInt8](bigEndian: Int64(expires.timeIntervalSince1970)),
            ], key: keys.code, context: Self.context + Self.key(state).bytes)
    }

    /// Opens a record. Returns nil for bytes that were not sealed for this state.
    package init?(opening box: [UInt8], for state: String, _ keys: BridgeKeys) {
        let fields = SealedFields.open(box, key: keys.code, context: Self.context + Self.key(state).bytes)
        guard let fields, fields.count == 6, let route = fields[0].first.flatMap(Route.init),
            let provider = String(validating: fields[1], as: UTF8.self),
            let redirect = String(validating: fields[2], as: UTF8.self),
            let verifier = String(validating: fields[3], as: UTF8.self).flatMap(PKCE.Verifier.init),
            let nonce = String(validating: fields[4], as: UTF8.self), let expires = fields[5].bigEndian
        else { return nil }
        self.init(
            route: route, provider: provider, redirect: redirect, verifier: verifier, nonce: nonce,
            expires: Date(timeIntervalSince1970: Double(expires)))
    }

    /// Makes a record.
    package init(
        route: Route, provider: String, redirect: String, verifier: PKCE.Verifier, nonce: String, expires: Date
    ) {
        self.route = route
        self.provider = provider
        self.redirect = redirect
        self.verifier = verifier
        self.nonce = nonce
        self.expires = expires
    }
}
