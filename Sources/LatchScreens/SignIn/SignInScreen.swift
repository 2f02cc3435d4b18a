public import LatchKit
public import Observation
import Primitives

/// The second step of a sign-in: who signs in, with a password, an identity provider or a key.
///
/// Source: IM-2, IM-5; OX-8; RM-7.
@MainActor @Observable
public final class SignInScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The person chooses how to sign in. The error is that of the last try.
        case editing(ScreenError?)
        /// The server is checking the password or key.
        case signingIn
    }

    /// A field that the person edits.
    public enum Field: Sendable {
        /// The e-mail address.
        case email
        /// The password.
        case password
        /// The API key.
        case key
        /// The client id.
        case clientID
    }

    /// The texts of the screen.
    public enum Text {
        /// The name of the field for the e-mail address.
        public static let email = "Email"
        /// The example in the empty field.
        public static let emailExample = "user@example.com"
        /// The name of the field for the password.
        public static let password = "Password"
        /// The button that signs in with the password.
        public static let login = "Login"
        /// The button that returns to the previous screen, on every screen.
        public static let back = "Back"
        /// The name of the field for a key.
        public static let key = "API key"
        /// The button that signs in with the key.
        public static let useKey = "Sign in with the key"
        /// The name of the field for the client id.
        public static let clientID = "Client ID"
        /// The button that signs in with a code on another device.
        public static let useDevice = "Sign in on another device"
        /// The button that creates an account with the e-mail address and password.
        public static let register = "Create account"
        /// The text between the password and the other ways to sign in.
        public static let or = "or"
        /// What is shown while the server checks.
        public static let signingIn = "Signing in…"
    }

    /// What the screen shows.
    public private(set) var state = State.editing(nil)
    /// The server.
    public let server: Server
    /// Why the person must sign in again, as a sentence. Nil at a first sign-in.
    public let reason: String?
    /// The e-mail address.
    public var email: String { didSet { if email != oldValue { clearError() } } }
    /// The password. It is empty again as soon as it was sent.
    public var password = "" { didSet { if !password.isEmpty { clearError() } } }
    /// The API key. It is empty again as soon as it was sent.
    public var key = "" { didSet { if !key.isEmpty { clearError() } } }
    /// The id of this program at a server of OAuth that does not register programs.
    public var clientID = "" { didSet { if clientID != oldValue { clearError() } } }
    /// Whether the server needs ``clientID``. False until a try without one has failed.
    public private(set) var needsClientID = false
    /// Whether the server lets people sign in with a code on another device. False until it has responded.
    public private(set) var offersDevice = false

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let onResult: @MainActor (Result) -> Void
    @ObservationIgnored let work: ScreenTask
    @ObservationIgnored let query = ScreenTask()
    /// Whether the last try was with the key.
    @ObservationIgnored private var usedKey = false

    enum Result {
        case signedIn(Account)
        case browser(provider: String?, clientID: String?)
        case device(clientID: String?)
    }

    init(
        _ client: LatchClient, server: Server, email: String = "", reason: String? = nil, work: ScreenTask,
        onResult: @escaping @MainActor (Result) -> Void
    ) {
        self.client = client
        self.server = server
        self.email = email
        self.reason = reason
        self.work = work
        self.onResult = onResult
        query.start { [weak self] isCurrent in
            let offersDevice = await client.offersDeviceSignIn(at: server)
            if isCurrent() { self?.offersDevice = offersDevice }
        }
    }

    // MARK: - What the server offers

    /// The host of the server, with the port if it is not the default one.
    public var host: String { server.address.authority }
    /// Whether the server accepts a password.
    public var hasPassword: Bool { server.features.signsInWithPassword }
    /// Whether the server accepts an API key.
    public var hasKey: Bool { server.features.signsInWithKey }
    /// Whether people can create accounts at the server.
    public var canRegister: Bool { hasPassword && server.capabilities.contains(.registration) }
    /// The buttons for a sign-in with the browser. Their texts come from the server.
    public var providers: [ServerFeatures.Provider] {
        guard server.features.signsInWithBrowser else { return [] }
        let providers = server.features.providers.map {
            ServerFeatures.Provider(id: $0.id, title: ScreenText.line($0.title))
        }
        return providers.isEmpty
            ? [.init(id: "", title: ScreenText.line(server.features.browserTitle ?? "Sign in with the browser"))]
            : providers
    }
    /// Warnings before the sign-in, each a sentence, such as that the server is in maintenance or has another version.
    public var warnings: [String] {
        let features = server.features
        return ([features.unavailableReason].compactMap(\.self) + features.warnings).map(ScreenText.sentences)
    }
    /// The error of the last try. Nil when there is none.
    public var error: ScreenError? { if case .editing(let error) = state { error } else { nil } }
    /// The field to correct after an error. Nil when there is none.
    public var errorField: Field? {
        switch error?.code {
        case LatchError.Code.invalidEmail?: .email
        case .wrongCredentials?, .weakPassword?: usedKey ? .key : .password
        case .clientIDRequired?: .clientID
        default: nil
        }
    }
    /// Whether ``login()`` does anything.
    public var canLogin: Bool {
        hasPassword && state != .signingIn && !email.allSatisfy(\.isWhitespace) && !password.isEmpty
    }
    /// Whether ``useKey()`` does anything.
    public var canUseKey: Bool { hasKey && state != .signingIn && !key.allSatisfy(\.isWhitespace) }

    // MARK: - What the person does

    /// Signs in with the e-mail address and password.
    public func login() {
        guard canLogin else { return }
        withPassword { client, signIn, server in try await client.signIn(signIn, to: server) }
    }

    /// Creates an account with the e-mail address and password, and signs in.
    public func register() {
        guard canLogin, canRegister else { return }
        withPassword { client, signIn, server in try await client.register(signIn, at: server) }
    }

    /// Signs in with the API key.
    public func useKey() {
        guard canUseKey else { return }
        let key = Secret(self.key)
        self.key = ""
        usedKey = true
        sign { client, server in try await client.signIn(KeySignIn(key: key), to: server) }
    }

    /// Signs in with the browser.
    ///
    /// - Parameter provider: One of ``providers``.
    public func useBrowser(_ provider: ServerFeatures.Provider) {
        leave(for: .browser(provider: provider.id.isEmpty ? nil : provider.id, clientID: givenClientID))
    }

    /// Signs in with a code on another device.
    public func useDevice() { leave(for: .device(clientID: givenClientID)) }

    private var givenClientID: String? {
        let id = clientID.trimmed
        return needsClientID && !id.isEmpty ? id : nil
    }

    private func leave(for result: Result) {
        guard state != .signingIn else { return }
        password = ""
        key = ""
        clearError()
        onResult(result)
    }

    /// Stops the sign-in. A token that the server grants late is revoked.
    public func cancel() {
        work.cancel()
        query.cancel()
        password = ""
        key = ""
        state = .editing(nil)
    }

    func show(_ error: ScreenError) {
        if error.code == .clientIDRequired { needsClientID = true }
        state = .editing(error)
    }

    private func clearError() {
        if case .editing(.some) = state { state = .editing(nil) }
    }

    private func withPassword(
        _ body: @escaping @Sendable (LatchClient, PasswordSignIn, Server) async throws -> Account
    ) {
        let password = Secret(self.password)
        usedKey = false
        do {
            let signIn = try PasswordSignIn(email: email, password: password)
            self.password = ""
            sign { client, server in try await body(client, signIn, server) }
        } catch {
            state = .editing(ScreenError(error))
        }
    }

    private func sign(_ body: @escaping @Sendable (LatchClient, Server) async throws -> Account) {
        state = .signingIn
        work.start { [client, server, weak self] isCurrent in
            do {
                let account = try await body(client, server)
                if isCurrent() { self?.onResult(.signedIn(account)) }
            } catch {
                if isCurrent() { self?.state = .editing(ScreenError(error)) }
            }
        }
    }
}
