import FoundationEssentials
import LatchKit
import Synchronization
import Terminal

/// What one run of a command works with: console, person, accounts and secrets, opened when first needed.
actor CommandContext {
    /// Where words go.
    nonisolated let console: Console
    /// Who can be asked.
    nonisolated let person: Prompter
    /// The options that all commands take.
    nonisolated let common: CommonOptions

    /// The environment variables.
    nonisolated let environment: [String: String]
    private let finishesUnfinished: Bool
    private let subject = Mutex<Account?>(nil)
    private let advice = Mutex<String?>(nil)
    private let stop = Mutex("Stopped; nothing was left half done.")
    private var kit: LatchClient?
    private var store: DeviceSecrets?

    init(
        _ common: CommonOptions, asksNobody: Bool, finishesUnfinished: Bool = true, environment: [String: String]
    ) {
        self.common = common
        self.finishesUnfinished = finishesUnfinished
        self.environment = environment
        console = Console(isJSON: common.isJSON, environment: environment)
        person = asksNobody ? .nobody : Prompter(terminal: Terminal())
    }

    /// The accounts and sessions; secrets are opened when first used, see ``openSecrets(mayChange:)``.
    func latchstring() async throws -> LatchClient {
        if let kit { return kit }
        let secrets = try secrets()
        var configuration = LatchClient.Configuration(
            folders: try Folders(environment: environment), secrets: secrets)
        configuration.finishesUnfinished = finishesUnfinished
        configuration.keepsLog = environment["LATCH_LOG"] != "off"
        let opened = try await LatchClient.open(configuration)
        kit = opened
        return opened
    }

    /// This device's secret store, perhaps not open yet.
    func secrets() throws -> DeviceSecrets {
        if let store { return store }
        let made = DeviceSecrets(
            common.secrets, folders: try Folders(environment: environment), keyFile: common.secretsKey,
            passphrase: { [person] need in try await PassphraseQuestion(person: person).answer(need) })
        store = made
        return made
    }

    /// Opens the secret store before it is needed, so that a question for its passphrase comes at a fit moment.
    @discardableResult
    func openSecrets() async throws -> OpenedSecretStorage {
        let accounts = try await latchstring().accounts
        let count = try await accounts.accounts().count + accounts.unreadableAccounts().count
        return try await secrets().open(mayChange: count == 0)
    }

    /// Opens the secret store and checks that it can hold a token, before the person signs in.
    func openSecretsForSignIn() async throws -> OpenedSecretStorage {
        let opened = try await openSecrets()
        try await LatchError.telling { try await secrets().check() }
        return opened
    }

    /// The account that a person means; the active one for nil.
    ///
    /// - Throws: ``LatchError`` with ``LatchError/Code/signedOut`` when there is no account at all,
    ///   ``LatchError/Code/noAccount`` and ``LatchError/Code/ambiguousAccount``.
    func account(_ selector: String?) async throws -> Account {
        let accounts = try await latchstring().accounts
        let all = try await accounts.accounts()
        guard !all.isEmpty else { throw LatchError(.signedOut, "Nobody is signed in here.") }
        let account: Account
        if let selector {
            account = try await accounts.account(matching: selector)
        } else if let active = all.first(where: \.isActive) {
            account = active
        } else {
            throw LatchError(.noAccount, "No account is the active one.")
        }
        subject.withLock { $0 = account }
        return account
    }

    /// The account that a person means by its e-mail address or the beginning of its id, if it cannot be read.
    func unreadableAccount(_ selector: String) async throws -> UnreadableAccount? {
        let wanted = selector.lowercased()
        let fitting = try await latchstring().accounts.unreadableAccounts().filter {
            $0.userEmail == wanted
                || (wanted.utf8.count >= 4 && $0.id.uuidString.lowercased().hasPrefix(wanted))
        }
        return fitting.count == 1 ? fitting[0] : nil
    }

    /// The session of the account that a person means, its secrets opened.
    func session(_ selector: String?) async throws -> (Account, Session) {
        let account = try await account(selector)
        guard account.isSignedIn else {
            guard let reason = account.endedBecause else {
                throw LatchError(.signedOut, "You are not signed in to \(account.serverURL).")
            }
            throw LatchError(.sessionEnded, "You were signed out of \(account.serverURL) because \(reason).")
        }
        try await openSecrets()
        return (account, try await latchstring().session(for: account))
    }

    /// The first account at an address, the active one before others.
    func knownAccount(at address: ServerAddress) async throws -> Account? {
        let there = try await latchstring().accounts.accounts().filter { $0.serverURL == address }
        return there.first(where: \.isActive) ?? there.first
    }

    /// Says what to do about a failure, better than the code alone can.
    nonisolated func advise(_ text: String) {
        advice.withLock { $0 = text }
    }

    /// The sentence for a person who stops the command.
    nonisolated var stopSentence: String { stop.withLock { $0 } }

    /// Replaces the sentence for a person who stops the command.
    nonisolated func say(whenStopped text: String) { stop.withLock { $0 = text } }

    /// What to do about a failure.
    nonisolated func hint(for error: LatchError) -> String? {
        advice.withLock { $0 } ?? Hint.text(for: error, account: subject.withLock { $0 })
    }

    /// Lets go of files and connections.
    func close() async {
        await kit?.close()
        kit = nil
    }
}
