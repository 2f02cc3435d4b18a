import FoundationEssentials
import LatchKit
import Primitives
import SecretStorage
import Synchronization
import Terminal

/// The context of one command run: console, prompts, accounts and secrets, opened on first use.
actor CommandContext {
    /// The console for output.
    nonisolated let console: Console
    /// Asks the person questions.
    nonisolated let prompter: Prompter
    /// The options that all commands take.
    nonisolated let common: CommonOptions

    /// The environment variables.
    nonisolated let environment: [String: String]
    private let finishesUnfinished: Bool
    private let subject = Mutex<Account?>(nil)
    private let advice = Mutex<String?>(nil)
    private let stop = Mutex("Stopped.")
    private var kit: LatchClient?
    private var store: DeviceSecrets?

    init(
        _ common: CommonOptions, isNonInteractive: Bool, finishesUnfinished: Bool = true, environment: [String: String]
    ) {
        self.common = common
        self.finishesUnfinished = finishesUnfinished
        self.environment = environment
        console = Console(isJSON: common.isJSON, environment: environment)
        prompter = isNonInteractive ? .unavailable : Prompter(terminal: Terminal())
    }

    /// Returns the client with the accounts and sessions. Secrets are opened on first use; see ``openSecrets()``.
    func client() async throws -> LatchClient {
        if let kit { return kit }
        let secrets = try secrets()
        var configuration = LatchClient.Configuration(
            folders: try Folders(environment: environment), secrets: secrets, device: Device(program: "latch"))
        configuration.recoversOnOpen = finishesUnfinished
        configuration.keepsLog = environment["LATCH_LOG"] != "off"
        let opened = try await LatchClient.open(configuration)
        kit = opened
        return opened
    }

    /// Returns this device's secret store, which may not be open yet.
    func secrets() throws -> DeviceSecrets {
        if let store { return store }
        let made = DeviceSecrets(
            common.secrets, folders: try Folders(environment: environment), keyFile: common.secretsKey,
            passphrase: { [prompter] need in try await PassphrasePrompt(prompter: prompter).prompt(need) })
        store = made
        return made
    }

    /// Opens the secret store before it is needed, so that the question for its passphrase comes at a suitable moment.
    @discardableResult
    func openSecrets() async throws -> OpenedSecretStorage {
        let client = try await client()
        let count = try await client.accounts.accounts().count + client.accounts.unreadableAccounts().count
        let opened = try await secrets().open(mayChange: count == 0 && client.lock.settings == nil)
        try await unlock()
        return opened
    }

    /// Unlocks the device if it is locked: with the system's authentication where it is set and available, otherwise
    /// with the PIN.
    ///
    /// - Throws: ``LatchError/Code/pinRequired`` when there is nobody to ask; the errors of ``DeviceLock/unlock(with:)``.
    func unlock() async throws {
        let lock = try await client().lock
        guard try lock.state == .locked else { return }
        let isAuthenticated = try await withSystemAuthentication(lock) { try await lock.unlock(with: $0) }
        guard !isAuthenticated else { return }
        guard prompter.isAvailable else {
            throw LatchError(
                .pinRequired,
                "This device is locked, and there is no terminal to ask for its PIN. Run 'latch unlock' in a terminal, "
                    + "or pass the PIN on standard input: latch unlock --pin-stdin")
        }
        try await lock.unlock(with: try await prompter.askSecret("PIN of this device"))
    }

    /// The system's authentication, which asks at the terminal where there is no dialog.
    nonisolated var systemAuthentication: SystemAuthentication {
        SystemAuthentication(environment, usesTerminal: prompter.isAvailable)
    }

    /// Runs `body` with the system's authentication if it unlocks the device.
    ///
    /// - Returns: Whether `body` succeeded. False when the PIN must be asked for instead: the system's authentication is
    ///   not set, or failed while there is a PIN and a terminal.
    /// - Throws: ``LatchError/Code/pinRequired`` when the system cannot ask, and there is no terminal either.
    nonisolated func withSystemAuthentication(
        _ lock: DeviceLock, _ body: (SystemAuthentication) async throws -> Void
    ) async throws -> Bool {
        let methods = try lock.methods
        guard methods.contains(.system) else { return false }
        do {
            try await body(systemAuthentication)
            return true
        } catch let error as LatchError where Self.authenticationFailures.contains(error.code) {
            let isUnavailable = error.code == .systemAuthenticationUnavailable
            if methods.contains(.pin), prompter.isAvailable {
                console.warn(error.message)
                return false
            }
            if isUnavailable, !methods.contains(.pin) {
                setHint("Run 'latch unlock' at the desktop or in a terminal.")
            }
            guard isUnavailable, !prompter.isAvailable else { throw error }
            guard methods.contains(.pin) else {
                throw LatchError(.pinRequired, "This device is locked. \(error.message)", cause: error)
            }
            return false
        }
    }

    private static let authenticationFailures: [LatchError.Code] = [
        .systemAuthenticationDenied, .systemAuthenticationUnanswered, .systemAuthenticationUnavailable,
    ]

    /// Opens the secret store and checks that it can hold a token, before the person signs in.
    func openSecretsForSignIn() async throws -> OpenedSecretStorage {
        let opened = try await openSecrets()
        try await LatchError.converting { try await secrets().check() }
        return opened
    }

    /// Returns the account that a person selects. Nil selects the active one.
    ///
    /// - Throws: ``LatchError`` with ``LatchError/Code/signedOut`` when there is no account at all,
    ///   ``LatchError/Code/noAccount`` and ``LatchError/Code/ambiguousAccount``.
    func account(_ selector: String?) async throws -> Account {
        let accounts = try await client().accounts
        let all = try await accounts.accounts()
        guard !all.isEmpty else { throw LatchError(.signedOut, "You are not signed in to any server.") }
        let account: Account
        if let selector {
            account = try await accounts.account(matching: selector)
        } else if let active = all.first(where: \.isActive) {
            account = active
        } else {
            throw LatchError(.noAccount, "There is no active account.")
        }
        subject.withLock { $0 = account }
        return account
    }

    /// Returns the unreadable account that a person selects by its e-mail address or the beginning of its id.
    func unreadableAccount(_ selector: String) async throws -> UnreadableAccount? {
        let wanted = selector.lowercasedASCII
        let fitting = try await client().accounts.unreadableAccounts().filter {
            $0.userEmail == wanted
                || (wanted.utf8.count >= 4 && $0.id.uuidString.lowercased().hasPrefix(wanted))
        }
        return fitting.count == 1 ? fitting[0] : nil
    }

    /// Returns the account that a person selects, and its session. Opens the secret store.
    func session(_ selector: String?) async throws -> (Account, Session) {
        let account = try await account(selector)
        guard account.isSignedIn else {
            guard let reason = account.endedBecause else {
                throw LatchError(.signedOut, "You are not signed in to \(account.serverURL).")
            }
            throw LatchError(.sessionEnded, "You were signed out of \(account.serverURL) because \(reason).")
        }
        try await openSecrets()
        return (account, try await client().session(for: account))
    }

    /// Returns the first account at an address, preferably the active one.
    func knownAccount(at address: ServerAddress) async throws -> Account? {
        let there = try await client().accounts.accounts().filter { $0.serverURL == address }
        return there.first(where: \.isActive) ?? there.first
    }

    /// Sets the hint for a failure of this command. It replaces the hint that belongs to the error code.
    nonisolated func setHint(_ text: String) {
        advice.withLock { $0 = text }
    }

    /// The sentence shown when a person stops the command.
    nonisolated var stopMessage: String { stop.withLock { $0 } }

    /// Sets the sentence shown when a person stops the command.
    nonisolated func setStopMessage(_ text: String) { stop.withLock { $0 = text } }

    /// Returns what to do about a failure, or nil when there is no advice.
    nonisolated func hint(for error: LatchError) -> String? {
        advice.withLock { $0 } ?? Hint.text(for: error, account: subject.withLock { $0 })
    }

    /// Closes files and connections.
    func close() async {
        await kit?.close()
        kit = nil
    }
}
