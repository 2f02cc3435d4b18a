import LatchKit
public import Observation
import Primitives

/// The screens from the address of a server to a signed-in account.
///
/// Source: IM-2; RM-4; OX-10.
@MainActor @Observable
public final class SignInFlow {
    /// The screen to show.
    public enum State {
        /// The address of the server.
        case connect(ConnectScreen)
        /// Whether to trust a certificate.
        case trust(TrustScreen)
        /// Who signs in.
        case signIn(SignInScreen)
        /// The sign-in in the browser.
        case browser(BrowserScreen)
        /// The sign-in on another device.
        case device(DeviceScreen)
    }

    /// The screen to show.
    public private(set) var state: State
    /// Whether ``back()`` at the first screen leaves the flow, because there is something to return to.
    public let canLeave: Bool
    /// Whether a sign-in is in progress. Its account may be stored already while its last steps are still running.
    public var isSigningIn: Bool {
        switch state {
        case .connect, .trust: false
        case .signIn(let screen): screen.state == .signingIn
        case .browser, .device: true
        }
    }

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let browser: Browser?
    @ObservationIgnored private let environment: [String: String]
    @ObservationIgnored private let commands: RunningCommands
    /// The account that signs in again. Nil for a new one.
    @ObservationIgnored private let known: (account: Account, reason: String)?
    @ObservationIgnored private let onEnd: @MainActor (Account?) -> Void
    @ObservationIgnored private let connectScreen: ConnectScreen
    @ObservationIgnored private let handler: ResultHandler

    /// `onEnd` gets the account, or nil when the person left the flow.
    init(
        _ client: LatchClient, known: (account: Account, reason: String)? = nil, address: String = "",
        browser: Browser?, environment: [String: String], commands: RunningCommands, canLeave: Bool,
        onEnd: @escaping @MainActor (Account?) -> Void
    ) {
        self.client = client
        self.known = known
        self.browser = browser
        self.environment = environment
        self.commands = commands
        self.canLeave = canLeave
        self.onEnd = onEnd
        let handler = ResultHandler()
        self.handler = handler
        connectScreen = ConnectScreen(client, address: known?.account.serverURL.url ?? address) {
            handler.flow?.connected($0)
        }
        state = .connect(connectScreen)
        handler.flow = self
        if known != nil { connectAgain() }
    }

    /// Returns to the previous screen. A late response of the server has no effect.
    public func back() {
        switch state {
        case .connect(let screen):
            if screen.state == .connecting {
                screen.cancel()
            } else if canLeave {
                onEnd(nil)
            }
        case .trust(let screen): screen.cancel()
        case .signIn(let screen):
            screen.cancel()
            state = .connect(connectScreen)
        case .browser(let screen): screen.cancel()
        case .device(let screen): screen.cancel()
        }
    }

    /// Stops everything that the flow does.
    func stop() {
        switch state {
        case .connect(let screen): screen.cancel()
        case .trust: break
        case .signIn(let screen): screen.cancel()
        case .browser(let screen): screen.work.cancel()
        case .device(let screen): screen.work.cancel()
        }
    }

    /// Asks the server of a known account with its stored connection.
    private func connectAgain() {
        guard let account = known?.account else { return }
        connectScreen.work.start { [client, connectScreen] isCurrent in
            do {
                let options = try await client.accounts.connection(of: account.id)
                guard isCurrent() else { return }
                connectScreen.use(options, for: account.serverURL)
            } catch {
                guard isCurrent() else { return }
                connectScreen.show(ScreenError(error))
                return
            }
            connectScreen.next()
        }
    }

    private func connected(_ result: ConnectScreen.Result) {
        switch result {
        case .found(let server):
            // The e-mail address and the reason are of the account at its own server. The person may have entered a different one.
            let known = known.flatMap { $0.account.serverURL == server.address ? $0 : nil }
            showSignIn(at: server, email: known?.account.userEmail ?? "", reason: known?.reason)
        case .certificate(let certificate, let address, let error):
            state = .trust(
                TrustScreen(certificate, at: address, error) { [weak self] isTrusted in
                    guard let self else { return }
                    self.state = .connect(self.connectScreen)
                    guard isTrusted else { return self.connectScreen.show(error) }
                    var options = self.connectScreen.connection
                    options.pinnedCertificate = certificate.fingerprint
                    self.connectScreen.use(options, for: address)
                    self.connectScreen.next()
                })
        }
    }

    private func showSignIn(at server: Server, email: String, reason: String?) {
        let screen = SignInScreen(
            client, server: server, email: email, reason: reason, work: commands.signIn
        ) { [handler] result in
            handler.flow?.signIn(ended: result, at: server)
        }
        state = .signIn(screen)
    }

    private func signIn(ended result: SignInScreen.Result, at server: Server) {
        guard case .signIn(let screen) = state else { return }
        let onResult: @MainActor (Result<Account, ScreenError>?) -> Void = { [handler] in
            handler.flow?.returned(with: $0, to: screen)
        }
        switch result {
        case .signedIn(let account): onEnd(account)
        case .browser(let provider, let clientID):
            state = .browser(
                BrowserScreen(
                    client, server: server, provider: provider, clientID: clientID, browser: browser,
                    environment: environment, work: commands.signIn, onResult: onResult))
        case .device(let clientID):
            state = .device(
                DeviceScreen(
                    client, server: server, clientID: clientID, work: commands.signIn, onResult: onResult))
        }
    }

    private func returned(with result: Result<Account, ScreenError>?, to screen: SignInScreen) {
        switch result {
        case .success(let account): return onEnd(account)
        case .failure(let error): screen.show(error)
        case nil: break
        }
        state = .signIn(screen)
    }
}

/// Lets the screens of a flow report to it without keeping it.
@MainActor
private final class ResultHandler {
    weak var flow: SignInFlow?
}
