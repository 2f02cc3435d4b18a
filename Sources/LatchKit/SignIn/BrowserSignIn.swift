import Crypto
import OAuth

/// A sign-in with the system's browser.
///
/// The PKCE verifier stays in memory and is sent only in the exchange of the code. A callback with another `state` has
/// no effect.
///
/// Source: OX-9; RFC 8252; docs/protocols/onyx.md, Sign-in in the app.
public struct BrowserSignIn: Sendable {
    /// An event that a program may show while a sign-in waits for the browser.
    public enum Event: Sendable, Equatable {
        /// The sign-in waits for the browser. The address can also be opened elsewhere. The method says how the browser
        /// returns.
        case waiting(address: String, CallbackMethod)
        /// The browser could not be opened. The sign-in continues to wait.
        case browserFailed(String)
        /// The pasted text is not the callback of this sign-in.
        case unrecognizedLink
    }

    /// The identity provider's id on the server. Nil leaves the choice to the server.
    public var provider: String?
    /// The client id of this program at the server, for servers of OAuth that do not register programs. Nil for the one
    /// of an earlier sign-in there, or a new one that the server registers.
    public var clientID: String?
    /// The scopes of the account's key, when the server creates one. Nil for all scopes.
    public var scopes: [String]?
    /// The way in which the browser returns.
    public var callback: CallbackMethod
    /// The browser to open. Nil opens none, so that the person opens the address elsewhere.
    public var browser: Browser?
    /// How long to wait for the callback. Default: 10 minutes.
    public var timeout: Duration
    /// Called for every event.
    public var onEvent: @Sendable (Event) -> Void
    /// Asks the person to paste the callback address, repeatedly until it is the right one. A result of nil ends the
    /// asking. Cancelled when the callback arrives another way.
    public var promptForCallback: (@Sendable () async throws -> String?)?

    /// Makes a sign-in.
    ///
    /// - Parameters:
    ///   - provider: The identity provider's id on the server. Nil leaves the choice to the server.
    ///   - callback: The way in which the browser returns.
    ///   - browser: The browser to open. Nil opens none.
    ///   - timeout: How long to wait for the callback.
    ///   - onEvent: Called for every event.
    ///   - promptForCallback: Asks the person to paste the callback address.
    public init(
        provider: String? = nil, callback: CallbackMethod = .automatic, browser: Browser? = .automatic,
        timeout: Duration = .seconds(600), onEvent: @escaping @Sendable (Event) -> Void = { _ in },
        promptForCallback: (@Sendable () async throws -> String?)? = nil
    ) {
        self.provider = provider
        self.callback = callback
        self.browser = browser
        self.timeout = timeout
        self.promptForCallback = promptForCallback
        self.onEvent = onEvent
    }

    /// Signs in with the browser and returns the server's token.
    ///
    /// `earlierDetails` are the stored details of the accounts at the server, and `recordKey` records a key that is about
    /// to be created for the person.
    func perform(
        at server: Server, _ connection: UnauthenticatedConnection, folders: Folders,
        earlierDetails: [[String: String]],
        recordKey: @escaping @Sendable (Identity) async throws -> KeyIntent
    ) async throws -> Grant {
        let dialect = try await dialect(of: server, connection)
        let choice = try browser?.chosen(for: dialect)
        var start = BrowserStart(
            redirect: dialect.callback, state: State(), provider: provider, scopes: scopes, clientID: clientID,
            earlierDetails: earlierDetails, recordKey: recordKey)
        guard try await comesByLoopback(dialect, at: server, with: connection) else {
            let pending = try await dialect.begin(start, at: server, connection)
            let receiver = try CallbackReceiver.scheme(start.redirect, state: pending.state, folders: folders)
            return try await finish(pending, receiver: receiver, browser: choice, at: server, folders: folders)
        }
        // The redirect address contains the port, so the receiver must listen before the sign-in begins. The expected
        // state is known only after the server has responded.
        let expected = CallbackReceiver.Expectation()
        let receiver = try CallbackReceiver.loopback(dialect, of: server.address, expected)
        start.redirect = receiver.redirect
        do {
            let pending = try await dialect.begin(start, at: server, connection)
            expected.set(pending.state)
            return try await finish(pending, receiver: receiver, browser: choice, at: server, folders: folders)
        } catch {
            receiver.close()
            throw error
        }
    }

    private func finish(
        _ pending: PendingBrowserSignIn, receiver: CallbackReceiver, browser: Browser?, at server: Server,
        folders: Folders
    ) async throws -> Grant {
        defer { receiver.close() }
        try Self.requireEncryption(of: pending.address, from: server.address)
        onEvent(.waiting(address: pending.address, receiver.method))
        let wait = BrowserWait(
            signIn: self, pending: pending, receiver: receiver, browser: browser, profiles: folders.browsers)
        let link = try await wait.link()
        let back = try Self.read(link, to: receiver.redirect, of: pending, from: server.address)
        return try await pending.finish(back)
    }

    /// Refuses the address of a sign-in page without encryption on another machine, unless the person chose a server
    /// without encryption. People type passwords on that page.
    ///
    /// - Throws: ``LatchError/Code/providerUntrusted``.
    ///
    /// Source: RFC 6749 §3.1; RFC 9700 §2.6.
    static func requireEncryption(of page: String, from server: ServerAddress) throws(LatchError) {
        guard server.isEncrypted, !page.lowercased().hasPrefix("https://") else { return }
        let rest = page.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        let place = try? ServerAddress("http://" + rest)
        guard place?.isLoopback != true else { return }
        throw LatchError(
            .providerUntrusted,
            "Login failed: \(server) sends you to a sign-in page without encryption, http://"
                + "\(SanitizedText.clean(String(rest))), where others could read your password. The page was not opened. "
                + "Ask the operator of the server to set an https address for its identity provider.")
    }

    private func dialect(
        of server: Server, _ connection: UnauthenticatedConnection
    ) async throws -> any BrowserDialect {
        try server.features.requireOpen()
        guard server.features.signsInWithBrowser, let dialect = server.dialect as? any BrowserDialect else {
            let other = server.features.signsInWithPassword || !server.features.signsInWithKey ? "password" : "key"
            let takesCode = (try? await GatewayDeviceSignIn(server: server, connection: connection).find()) != nil
            throw LatchError(
                .browserLoginDisabled,
                "Login failed: \(server.address) does not support sign-in with the browser. Use a \(other)"
                    + (takesCode ? ", or sign in on another device with a code." : "."))
        }
        guard clientID == nil || dialect.takesClientID else {
            throw LatchError(
                .invalidRequest,
                "Login failed: \(server.address) speaks \(dialect.title), which needs no client id. Leave it out.")
        }
        let known = server.features.providers
        guard let provider, !known.isEmpty, !known.contains(where: { $0.id == provider }) else { return dialect }
        let names = known.map { SanitizedText.clean($0.id) }.joined(separator: ", ")
        throw LatchError(
            .unknownProvider,
            "Login failed: \(server.address) has no identity provider '\(SanitizedText.clean(provider))'. It has: "
                + "\(names).")
    }

    private func comesByLoopback(
        _ dialect: any BrowserDialect, at server: Server, with connection: UnauthenticatedConnection
    ) async throws -> Bool {
        switch callback {
        case .loopback: true
        case .scheme: false
        case .automatic where browser?.isPresenter == true: false
        case .automatic: try await dialect.allowsLoopback(at: server, connection)
        }
    }

    /// Reads a callback.
    ///
    /// - Throws: ``LatchError/Code/callbackInvalid``; ``LatchError/Code/signInDenied`` and similar codes when the
    ///   callback contains an error of the server.
    private static func read(
        _ link: String, to redirect: String, of pending: PendingBrowserSignIn, from server: ServerAddress
    ) throws(LatchError) -> BrowserReturn {
        let link = CallbackLink.fitted(link, to: redirect)
        guard let state = pending.state ?? AuthorizationResponse.state(of: link, expectedRedirect: redirect) else {
            throw LatchError(.callbackInvalid, "Login failed: the callback contains no state. Sign in again.")
        }
        let response: AuthorizationResponse
        do {
            response = try .parse(
                callbackURL: link, expectedRedirect: redirect, expectedState: state, expectedIssuer: pending.issuer)
        } catch {
            throw LatchError(.callbackInvalid, "Login failed: \(error.message)", cause: error)
        }
        switch response {
        case .code(let code): return BrowserReturn(code: code, state: state, link: Secret(link))
        case .error(let error, let description, _): throw refusal(error, description: description, from: server)
        }
    }

    /// Source: RFC 6749 §4.1.2.1; OpenID Connect Core §3.1.2.6.
    private static func refusal(
        _ error: String, description: String?, from server: ServerAddress
    ) -> LatchError {
        let message = SanitizedText.clause(description.flatMap { $0.isEmpty ? nil : $0 } ?? error)
        return switch error {
        case "access_denied", "consent_required", "interaction_required", "login_required":
            LatchError(.signInDenied, "Login failed: the sign-in was denied in the browser (\(message)).")
        case "server_error", "temporarily_unavailable":
            LatchError(
                .serverError,
                "Login failed: \(server) or its identity provider has an internal error (\(message)). "
                    + "Try again later.")
        default: LatchError(.serverRefused, "Login failed: \(server) says: \(message).")
        }
    }
}

extension LatchError {
    private static let login = "Login failed: "

    /// The same error for a sign-in with the browser. Its message begins with "OAuth login failed".
    ///
    /// Source: IM-16.
    var inBrowser: LatchError {
        guard message.hasPrefix(Self.login) else { return self }
        return LatchError(
            code, "OAuth login failed: " + message.dropFirst(Self.login.count), retryAfter: retryAfter,
            status: status, cause: cause)
    }
}
