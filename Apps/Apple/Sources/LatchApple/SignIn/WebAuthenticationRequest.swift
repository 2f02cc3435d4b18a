// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchKit

/// What a browser session is asked for, as values.
struct WebAuthenticationRequest: Sendable, Equatable {
    let url: URL
    /// The custom scheme at which the session ends, without a colon.
    let scheme: String
    /// The value of `prefersEphemeralWebBrowserSession`.
    let isEphemeral: Bool

    /// - Throws: `LatchError` with the code `callbackUnavailable` when `callback` has no custom scheme, or
    ///   `invalidAddress` when the session could not open `address`.
    init(_ address: String, callback: String, isEphemeral: Bool) throws(LatchError) {
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw LatchError(.invalidAddress, "The sign-in page has no web address. Check the server.")
        }
        let scheme = String(callback.prefix { $0 != ":" })
        guard BrowserSignIn.callbackSchemes.contains(scheme) else {
            throw LatchError(
                .callbackUnavailable,
                "The sign-in returns to a port, which this system does not allow. Use the callback by custom scheme.")
        }
        (self.url, self.scheme, self.isEphemeral) = (url, scheme, isEphemeral)
    }
}
