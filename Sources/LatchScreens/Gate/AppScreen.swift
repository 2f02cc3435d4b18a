public import FoundationEssentials
import LatchDownloads
public import LatchKit
public import Observation

/// The whole app: decides which screen comes first, and follows changes by this and other programs.
///
/// A front end makes one, calls ``start()`` when its window opens and ``stop()`` when the program ends.
///
/// Source: IM-2, IM-10, RM-3, TT-8, OX-14.
@MainActor @Observable
public final class AppScreen {
    /// The screen to show.
    public enum State {
        /// The accounts are being opened, or the server is asked whether it still accepts the session.
        case opening
        /// The accounts could not be opened. ``AppScreen/retry()`` tries again.
        case failed(ScreenError)
        /// The passphrase of the secret store is needed.
        case passphrase(PassphraseScreen)
        /// The device is locked.
        case locked(LockScreen)
        /// The person must sign in, or adds an account.
        case signIn(SignInFlow)
        /// The server requires a new password.
        case changePassword(ChangePasswordScreen)
        /// The session of the account cannot be used now. ``AppScreen/retry()`` tries again.
        case unavailable(Account, ScreenError)
        /// The app.
        case main(MainScreen)
    }

    /// The texts of the screen.
    public enum Text {
        /// The name of the program.
        public static let name = "Latchstring"
        /// The button that tries again.
        public static let retry = CommonText.retry
        /// The heading where the accounts or the session of one cannot be used.
        public static let failed = "Your accounts cannot be opened"
        /// The heading where the session of an account cannot be used.
        public static let unavailable = "Your session cannot be used now"
        /// The button that signs in again because of a certificate.
        public static let checkCertificate = "Check the certificate"
        /// The name of the main menu.
        public static let menu = "Main menu"
        /// The settings of this device: of downloads and of the app lock.
        public static let settings = "Settings"
        /// The entry of the menu about the program.
        public static let about = "About \(name)"
        /// The entry of the menu that ends the program.
        public static let quit = "Quit"
        /// What is shown while the accounts are opened.
        public static let opening = "Opening…"
    }

    /// The screen to show.
    public private(set) var state = State.opening
    /// The accounts, from the moment when they could be opened. Nil before, and while the device is locked.
    public private(set) var accounts: AccountsScreen?

    /// Whether the app has a lock and is not locked, so that ``lock()`` does anything.
    public private(set) var canLock = false

    @ObservationIgnored let configuration: LatchClient.Configuration
    @ObservationIgnored private let browser: Browser?
    @ObservationIgnored let authentication: SystemAuthentication
    /// The address that the first sign-in suggests.
    @ObservationIgnored private var address: String
    @ObservationIgnored private let confirmationTimeout: Duration
    @ObservationIgnored let environment: [String: String]
    @ObservationIgnored private(set) var client: LatchClient?
    /// ``accounts``, also while the device is locked.
    @ObservationIgnored private var accountsScreen: AccountsScreen?
    @ObservationIgnored private let running = ScreenTask()
    @ObservationIgnored private let retrying = ScreenTask()
    @ObservationIgnored private let foreground = ScreenTask()
    /// The accounts whose sessions are being restored after the unlocking of the device.
    @ObservationIgnored private var restoring: Set<Account.ID> = []
    @ObservationIgnored let commands = RunningCommands()
    @ObservationIgnored private var lockState = DeviceLock.State.none
    @ObservationIgnored private var list: [AccountState]?
    @ObservationIgnored private var hasWaited = false
    /// The flow that the person began to add an account.
    @ObservationIgnored private var adding: SignInFlow?
    /// What ``state`` was last decided from.
    @ObservationIgnored private var shown: Gate?

    /// Makes the app. Nothing is opened yet.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the client. Its secret store is chosen by the app when it is nil.
    ///   - browser: The browser for sign-ins. Nil opens none, so that the person opens the address elsewhere.
    ///   - authentication: The system's authentication, which can unlock the device.
    ///   - address: The address that the first sign-in suggests. Empty for that of the server that was found last.
    ///   - confirmationTimeout: How long the server may take to confirm the session before the app opens with the stored
    ///     identity.
    ///   - environment: The environment variables that choose the secret store, and locate the folders of downloads and
    ///     the programs for links.
    public init(
        _ configuration: LatchClient.Configuration = .init(), browser: Browser? = .automatic,
        authentication: SystemAuthentication = SystemAuthentication(), address: String = "",
        confirmationTimeout: Duration = .seconds(3), environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.configuration = configuration
        self.browser = browser
        self.authentication = authentication
        self.address = address
        self.confirmationTimeout = confirmationTimeout
        self.environment = environment
    }

    /// Opens the accounts and follows them until ``stop()``, which must be called.
    public func start() {
        running.start { [self] isCurrent in
            guard let client = await open(), isCurrent() else { return }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.followLock(of: client) }
                group.addTask { await self.followAccounts(of: client) }
                group.addTask { await self.endWaitInTime() }
                group.addTask { try? await client.renewSessions() }
                group.addTask { await client.lock.lockWithSession() }
            }
        }
    }

    /// Ends all work and closes the accounts. ``start()`` opens them again.
    public func stop() async {
        switch state {
        case .passphrase(let screen): screen.finish(nil)
        case .signIn(let flow): flow.stop()
        default: break
        }
        running.cancel()
        foreground.cancel()
        await commands.finish()
        await running.finish()
        await client?.close()
        (client, list, shown, adding) = (nil, nil, nil, nil)
        (accounts, accountsScreen, restoring, hasWaited) = (nil, nil, [], false)
        state = .opening
    }

    /// Renews the sessions after the app has returned to the foreground.
    ///
    /// Source: OX-12.
    public func returnToForeground() {
        guard let client, !isLocked, !foreground.isRunning else { return }
        foreground.start { _ in await client.renewSessionsInForeground() }
    }

    /// Tries again what failed: to open the accounts, or to use the session.
    public func retry() {
        switch state {
        case .failed:
            state = .opening
            start()
        case .unavailable(let account, _):
            state = .opening
            shown = nil
            guard let session = try? client?.session(for: account) else { return decide() }
            retrying.start { [weak self] isCurrent in
                _ = await session.restore()
                if isCurrent() { self?.decide() }
            }
        default: break
        }
    }

    /// Begins the sign-in to another account.
    public func addAccount() {
        guard let client, adding == nil, !isLocked else { return }
        let flow = SignInFlow(client, browser: browser, environment: environment, commands: commands, canLeave: true) {
            [weak self] in
            self?.endFlow($0)
        }
        adding = flow
        decide()
    }

    /// Signs in again to the account that is shown, for example because its server has another certificate. Back returns.
    public func signInAgain() {
        let account: Account
        switch state {
        case .unavailable(let shown, _): account = shown
        case .main(let screen): account = screen.account
        default: return
        }
        guard let client, adding == nil, !isLocked else { return }
        let flow = SignInFlow(
            client, known: (account, "Sign in to \(account.serverURL.authority) again."), browser: browser,
            environment: environment, commands: commands, canLeave: true
        ) { [weak self] in self?.endFlow($0) }
        adding = flow
        decide()
    }

    /// Locks the device. Does nothing when it has no lock.
    ///
    /// - Throws: A `LatchError` with a `storage` code when it could not be locked.
    public func lock() throws {
        guard let client else { return }
        defer { readLock(of: client) }
        try client.lock.lock()
    }

    // MARK: - Deciding

    private func open() async -> LatchClient? {
        var configuration = configuration
        do {
            let folders = try configuration.folders ?? Folders()
            configuration.folders = folders
            if configuration.secrets == nil {
                let chosen = try SecretsEnvironment(environment)
                configuration.secrets = DeviceSecrets(chosen.store, folders: folders, keyFile: chosen.keyFile) {
                    [weak self] need in
                    guard case .existing(let path) = need else { return nil }
                    return await self?.askPassphrase(path)
                }
            }
            let client = try await LatchClient.open(configuration)
            if address.isEmpty, let found = try? await client.accounts.discoveredServer() { address = found.url }
            self.client = client
            let accounts = commands.adding(
                AccountsScreen(client) { [weak self] in self?.addAccount() })
            (accountsScreen, self.accounts) = (accounts, accounts)
            return client
        } catch {
            if !Task.isCancelled { state = .failed(ScreenError(error)) }
            return nil
        }
    }

    private func askPassphrase(_ path: String) async -> Secret? {
        await withCheckedContinuation { continuation in
            shown = nil
            state = .passphrase(
                PassphraseScreen(path: path, answer: continuation) { [weak self] in
                    self?.state = .opening
                    self?.decide()
                })
        }
    }

    private func followLock(of client: LatchClient) async {
        for await _ in client.lock.stateUpdates {
            if Task.isCancelled { return }
            // The reported state may be older than an unlocking that has ended.
            readLock(of: client)
        }
    }

    /// Whether nothing of the accounts may be shown.
    var isLocked: Bool { lockState == .locked }

    private func apply(_ state: DeviceLock.State) {
        let wasLocked = isLocked
        lockState = state
        if canLock != (state == .unlocked) { canLock = state == .unlocked }
        accounts = isLocked ? nil : accountsScreen
        if isLocked, !wasLocked {
            // What was typed does not survive the lock, and nothing is signed in while it lasts.
            if case .signIn(let flow) = self.state { flow.stop() }
            adding?.stop()
            adding = nil
            restoring = []
            retrying.cancel()
        }
        if wasLocked, !isLocked { restoreSessions() }
        decide()
    }

    /// Asks again for the sessions whose secrets could not be read while the device was locked.
    private func restoreSessions() {
        let locked = list?.filter { $0.state == .unavailable(.pinRequired) }.map(\.account) ?? []
        guard let client, !locked.isEmpty else { return }
        restoring = Set(locked.map(\.id))
        retrying.start { [weak self] isCurrent in
            await withTaskGroup(of: Account.ID.self) { group in
                for account in locked {
                    group.addTask {
                        _ = await (try? client.session(for: account))?.restore()
                        return account.id
                    }
                }
                for await account in group {
                    guard isCurrent() else { return }
                    self?.restoring.remove(account)
                    self?.decide()
                }
            }
        }
    }

    /// Shows what follows an unlocking. The state of the lock is read, because it may be locked again already.
    private func endLock() {
        guard let client else { return }
        shown = nil
        readLock(of: client)
    }

    private func readLock(of client: LatchClient) { apply((try? client.lock.state) ?? .locked) }

    private func followAccounts(of client: LatchClient) async {
        for await list in client.accountStates() {
            if Task.isCancelled { return }
            self.list = list
            accountsScreen?.update(list)
            decide()
        }
    }

    private func endWaitInTime() async {
        guard (try? await Task.sleep(for: confirmationTimeout)) != nil else { return }
        hasWaited = true
        decide()
    }

    /// Shows the screen that comes after a flow, which may be the same one as before.
    private func endFlow(_ account: Account?) {
        adding = nil
        shown = nil
        state = .opening
        // The list of accounts follows the sign-in.
        let isListed = account.map { new in list?.contains { $0.id == new.id && $0.state.isSignedIn } ?? false }
        if isListed ?? true { decide() }
    }

    /// Shows the screen that ``Gate`` decides. A screen that is shown already stays the same object.
    private func decide() {
        guard let client, let list else { return }
        if case .passphrase = state { return }
        let gate = Gate(lock: lockState, accounts: list, hasWaited: hasWaited, restoring: restoring)
        if gate == .lock {
            guard shown != .lock else { return }
            shown = .lock
            state = .locked(
                LockScreen(client.lock, authentication: authentication) { [weak self] in self?.endLock() })
            return
        }
        // The last steps of a sign-in run after its account is stored.
        if case .signIn(let flow) = state, flow.isSigningIn { return }
        if let adding {
            shown = nil
            state = .signIn(adding)
            return
        }
        show(gate, client)
    }

    private func show(_ gate: Gate, _ client: LatchClient) {
        let before = shown
        shown = gate
        switch gate {
        case .lock: break
        case .wait:
            if case .main(let screen) = state, screen.account.id == list.flatMap(Gate.active)?.account.id { return }
            state = .opening
        case .connect:
            if before != gate { beginSignIn(client, nil) }
        case .signIn(let account, let reason):
            if case .signIn(let old, _) = before, old.id == account.id { return }
            beginSignIn(client, (account, reason))
        case .changePassword(let account):
            if case .changePassword(let old) = before, old.id == account.id { return }
            state = .changePassword(
                ChangePasswordScreen(client, account: account) { [weak self] isChanged in
                    self?.endPasswordChange(isChanged)
                })
        case .unavailable(let account, let code):
            state = .unavailable(account, Self.error(code, account))
        case .app(let account, let offline):
            guard case .main(let screen) = state, screen.account.id == account.id else {
                state = .main(MainScreen(client, account: account, offline: offline, commands: commands))
                return
            }
            screen.follow(account, offline: offline)
        }
    }

    private func beginSignIn(_ client: LatchClient, _ known: (account: Account, reason: String)?) {
        let flow = SignInFlow(
            client, known: known, address: address, browser: browser, environment: environment, commands: commands,
            canLeave: false
        ) { [weak self] in self?.endFlow($0) }
        state = .signIn(flow)
    }

    private func endPasswordChange(_ isChanged: Bool) {
        shown = nil
        // A person who does not want to change the password can use another account.
        if !isChanged { decide() }
    }
}
