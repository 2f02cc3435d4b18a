import Crypto
package import OAuth

/// A family whose servers sign people in with the system's browser.
///
/// The browser goes to an identity provider, either through the server or directly, and returns to the program with a
/// code.
///
/// Source: RFC 8252; OX-9.
package protocol BrowserDialect: Dialect {
    /// The redirect address with a custom scheme that servers of the family send the browser back to by default.
    var callback: String { get }
    /// The path of the loopback address that servers of the family may send the browser back to.
    var loopbackPath: String { get }
    /// Whether sign-ins should use a browser that shares nothing with the person's own, such as cookies. Without one,
    /// the sign-in fails unless the person names a browser. Default: false.
    var wantsEphemeralBrowser: Bool { get }
    /// Whether a person may give the client id of this program at the server. Default: false.
    var takesClientID: Bool { get }
    /// Returns whether a server sends browsers back to loopback addresses. False when the server does not respond.
    ///
    /// - Throws: `CancellationError` only.
    func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection) async throws(CancellationError)
        -> Bool

    /// Begins a sign-in. Sends the requests that are necessary before the browser opens.
    ///
    /// - Returns: The address to open and the means to finish the sign-in. It holds the PKCE verifier, in memory only.
    /// - Throws: ``LatchError`` when the sign-in cannot begin; `CancellationError`.
    func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> PendingBrowserSignIn
}

extension BrowserDialect {
    /// False: with the person's own browser, a person who is already signed in at the provider need not sign in again.
    package var wantsEphemeralBrowser: Bool { false }
    /// False: the servers of the family know their programs.
    package var takesClientID: Bool { false }
}

/// The parameters of a sign-in with the browser.
package struct BrowserStart: Sendable {
    /// The redirect address that the browser returns to.
    package var redirect: String
    /// The value that ties the callback to this sign-in, unless the server creates its own `state`.
    package var state: State
    /// The identity provider's id on the server. Nil leaves the choice to the server.
    package var provider: String?
    /// The scopes of the account's key, when the server creates one. Nil for all scopes.
    package var scopes: [String]?
    /// The client id that the person gave. Nil when there is none.
    package var clientID: String?
    /// The stored details of the accounts at the server, the latest first.
    package var earlierDetails: [[String: String]] = []
    /// Records the key that a sign-in is about to create, if it creates one. Called before the request to the server.
    var recordKey: @Sendable (Identity) async throws -> KeyIntent
}

/// A sign-in that has begun and waits for the browser to return.
package struct PendingBrowserSignIn: Sendable {
    /// The address that the browser opens.
    package var address: String
    /// The `state` that the callback must contain. Nil when the server creates it only after the browser has opened the
    /// address, so that this program cannot know it. In that case the first callback to the redirect address is
    /// accepted.
    package var state: State?
    /// The issuer that the callback must contain as `iss`. Nil when the provider did not announce that it sends `iss`.
    package var issuer: String?
    /// Redeems the code in the callback. Called once, after `state` was compared.
    package var finish: @Sendable (BrowserReturn) async throws -> Grant

    /// Makes a pending sign-in.
    package init(
        address: String, state: State?, issuer: String? = nil,
        finish: @escaping @Sendable (BrowserReturn) async throws -> Grant
    ) {
        self.address = address
        self.state = state
        self.issuer = issuer
        self.finish = finish
    }
}

/// The contents of a callback that passed every check.
package struct BrowserReturn: Sendable {
    /// The authorization code.
    package var code: Secret
    /// The `state` in the callback.
    package var state: State
    /// The complete callback address as received. It contains the code.
    package var link: Secret
}
