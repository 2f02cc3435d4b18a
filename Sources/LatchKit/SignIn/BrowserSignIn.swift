import OAuth

/// Signs in with the system's browser.
///
/// The verifier never leaves this process but for the exchange, and is in no file. A link with another `state` changes
/// nothing.
///
/// Source: OX-9; RFC 8252; contract of Onyx, b.9.
public struct BrowserSignIn: Sendable {
    /// What a program may show while a sign-in waits for the browser.
    public enum Event: Sendable, Equatable {
        /// The address that shows the server's sign-in, to open elsewhere if need be, and how the browser comes back.
        case waiting(address: String, CallbackMethod)
        /// The browser could not be opened; the sign-in goes on waiting.
        case browserFailed(String)
        /// What was pasted is not this sign-in's link.
        case strangeLink
    }

    /// The identity provider's id on the server; nil leaves the choice to the server.
    public var provider: String?
    /// What the account's key may do, where the server makes one; nil for everything.
    public var scopes: [String]?
    /// How the browser comes back.
    public var callback: CallbackMethod
    /// The browser; nil opens none: the person opens the address somewhere.
    public var browser: Browser?
    /// How long to wait for the person.
    public var timeout: Duration
    /// Told what happens.
    public var onEvent: @Sendable (Event) -> Void
    /// Asks the person for the link by which the browser came back, again and again until it is the right one; nil from it
    /// ends the asking. It is cancelled when the link comes another way.
    public var pasted: (@Sendable () async throws -> String?)?

    /// Makes a sign-in.
    ///
    /// - Parameters:
    ///   - provider: The identity provider's id on the server; nil leaves the choice to the server.
    ///   - callback: How the browser comes back.
    ///   - browser: The browser; nil opens none.
    ///   - timeout: How long to wait for the person.
    ///   - pasted: Asks the person for the link.
    ///   - onEvent: Told what happens.
    public init(
        provider: String? = nil, callback: CallbackMethod = .automatic, browser: Browser? = .automatic,
        timeout: Duration = .seconds(600), pasted: (@Sendable () async throws -> String?)? = nil,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.provider = provider
        self.callback = callback
        self.browser = browser
        self.timeout = timeout
        self.pasted = pasted
        self.onEvent = onEvent
    }

    /// Asks the server for a token, through the browser.
    ///
    /// `noteKey` notes a key that is about to be made for that person.
    func perform(
        at server: Server, _ connection: UnauthenticatedConnection, folders: Folders,
        noteKey: @escaping @Sendable (Identity) async throws -> KeyIntent
    ) async throws -> Grant {
        let dialect = try dialect(of: server)
        let choice = try browser?.chosen(for: dialect)
        var start = BrowserStart(
            redirect: dialect.callback, state: State(), provider: provider, scopes: scopes, noteKey: noteKey)
        guard try await comesByLoopback(dialect, server, connection) else {
            let journey = try await dialect.begin(start, at: server, connection)
            let receiver = try CallbackReceiver.scheme(start.redirect, journey.state, folders)
            return try await finish(journey, receiver, choice, server, folders)
        }
        // The port stands in the redirect address, so it waits first; what it takes is known when the server has answered.
        let expected = CallbackReceiver.Expectation()
        let receiver = try CallbackReceiver.loopback(dialect, expected)
        start.redirect = receiver.redirect
        do {
            let journey = try await dialect.begin(start, at: server, connection)
            expected.set(journey.state)
            return try await finish(journey, receiver, choice, server, folders)
        } catch {
            receiver.close()
            throw error
        }
    }

    private func finish(
        _ journey: BrowserJourney, _ receiver: CallbackReceiver, _ browser: Browser?, _ server: Server,
        _ folders: Folders
    ) async throws -> Grant {
        defer { receiver.close() }
        onEvent(.waiting(address: journey.address, receiver.method))
        let wait = BrowserWait(
            signIn: self, journey: journey, receiver: receiver, browser: browser, profiles: folders.browsers)
        let link = try await wait.link()
        return try await journey.finish(try Self.read(link, receiver.redirect, journey, server.address))
    }

    private func dialect(of server: Server) throws(LatchError) -> any BrowserDialect {
        try server.features.requireOpen()
        guard server.features.signsInWithBrowser, let dialect = server.dialect as? any BrowserDialect else {
            let other = server.features.signsInWithPassword || !server.features.signsInWithKey ? "password" : "key"
            throw LatchError(
                .browserLoginDisabled,
                "Login failed: \(server.address) does not sign in with the browser. Use a \(other).")
        }
        let known = server.features.providers
        guard let provider, !known.isEmpty, !known.contains(where: { $0.id == provider }) else { return dialect }
        let names = known.map { SanitizedText.clean($0.id) }.joined(separator: ", ")
        throw LatchError(
            .unknownProvider,
            "Login failed: \(server.address) has no identity provider '\(SanitizedText.clean(provider))'. It has: \(names)."
        )
    }

    private func comesByLoopback(
        _ dialect: any BrowserDialect, _ server: Server, _ connection: UnauthenticatedConnection
    ) async throws -> Bool {
        switch callback {
        case .loopback: true
        case .scheme: false
        case .automatic: try await dialect.allowsLoopback(at: server, connection)
        }
    }

    /// What a link brings.
    ///
    /// - Throws: ``LatchError/Code/signInDenied`` and the like when it brings the server's refusal.
    private static func read(
        _ link: String, _ redirect: String, _ journey: BrowserJourney, _ server: ServerAddress
    ) throws(LatchError) -> BrowserReturn {
        let link = CallbackLink.fitted(link, to: redirect)
        guard let state = journey.state ?? AuthorizationResponse.state(of: link, expectedRedirect: redirect) else {
            throw LatchError(.callbackInvalid, "Login failed: the callback holds no state. Sign in again.")
        }
        let response: AuthorizationResponse
        do {
            response = try .parse(
                callbackURL: link, expectedRedirect: redirect, expectedState: state, expectedIssuer: journey.issuer)
        } catch {
            throw LatchError(.callbackInvalid, "Login failed: \(error.message)", cause: error)
        }
        switch response {
        case .code(let code): return BrowserReturn(code: code, state: state, link: Secret(link))
        case .error(let error, let description, _): throw refusal(error, description, server)
        }
    }

    /// Source: RFC 6749 §4.1.2.1; OpenID Connect Core §3.1.2.6.
    private static func refusal(_ error: String, _ description: String?, _ server: ServerAddress) -> LatchError {
        var words = SanitizedText.clean(description.flatMap { $0.isEmpty ? nil : $0 } ?? error)
        // It stands in a sentence of ours.
        while words.hasSuffix(".") { words.removeLast() }
        return switch error {
        case "access_denied", "consent_required", "interaction_required", "login_required":
            LatchError(.signInDenied, "Login failed: the sign-in was denied in the browser (\(words)).")
        case "server_error", "temporarily_unavailable":
            LatchError(
                .serverError,
                "Login failed: \(server) or its identity provider has a fault of its own (\(words)). "
                    + "Try again later.")
        default: LatchError(.serverRefused, "Login failed: \(server) says: \(words).")
        }
    }
}

extension LatchError {
    private static let login = "Login failed: "

    /// The same error as one of a sign-in with the browser: its message begins with "OAuth login failed".
    ///
    /// Source: IM-16.
    var inBrowser: LatchError {
        guard message.hasPrefix(Self.login) else { return self }
        return LatchError(
            code, "OAuth login failed: " + message.dropFirst(Self.login.count), retryAfter: retryAfter, cause: cause)
    }
}
