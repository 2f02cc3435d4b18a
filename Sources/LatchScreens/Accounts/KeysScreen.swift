public import FoundationEssentials
import LatchKit
public import Observation

/// The person's API keys on the server of an account.
///
/// Source: RM-8.
@MainActor @Observable
public final class KeysScreen: CommandScreen {
    /// One key in the list. Texts from the server are safe to be displayed. It never contains the key itself.
    public struct Row: Identifiable, Equatable, Sendable {
        /// The id of the key on the server.
        public let id: String
        /// The name of the key.
        public let name: String
        /// The scopes of the key, separated by spaces.
        public let scopes: String
        /// When the key was last used. Nil when it was not, or the server does not say.
        public let lastUsed: Date?
        /// Whether the account uses the key.
        public let isCurrent: Bool
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "API keys"
        /// The button that replaces the account's key.
        public static let rotate = "Replace key"
        /// The button that revokes a key.
        public static let revoke = "Revoke"
        /// The mark of the account's key.
        public static let current = "Used by this device"
        /// The heading of the question whether to replace the key.
        public static let rotateTitle = "Replace the key?"
        /// The heading of the question whether to revoke a key.
        public static let revokeTitle = "Revoke the key?"
    }

    /// What the screen shows.
    public private(set) var state = ListState<Row>.loading
    /// The question that the person is asked before a key ends. Nil when there is none.
    public private(set) var question: Confirmation?
    /// Whether the account uses one of the keys, so that ``askToRotate()`` does anything.
    public var canRotate: Bool { state.rows.contains(where: \.isCurrent) }
    /// Whether a command is running. It is completed when the screen is left, and no other one begins before.
    public private(set) var isBusy = false

    @ObservationIgnored private let account: Account
    @ObservationIgnored private let session: @MainActor () throws -> Session
    @ObservationIgnored private let work = ScreenTask()
    /// What ``confirm()`` does.
    @ObservationIgnored private var command: Command?

    private typealias Command = @Sendable (Session) async throws -> LatchError?

    init(_ client: LatchClient, account: Account) {
        self.account = account
        session = { try client.session(for: account) }
    }

    /// Loads the list. Called when the screen is shown.
    public func load() {
        guard !isBusy else { return }
        perform(nil)
    }

    /// Asks whether to replace the key of the account with a new one, and to revoke the old one.
    public func askToRotate() {
        guard !isBusy, let key = state.rows.first(where: \.isCurrent) else { return }
        question = Confirmation(
            title: Text.rotateTitle, text: "This device gets a new key, and '\(key.name)' is revoked.",
            action: Text.rotate)
        command = { session in
            let rotation = try await session.rotateKey()
            return rotation.failure.map { error in
                LatchError(error.code, "The key was replaced, but the old one was not revoked. \(error.message)")
            }
        }
    }

    /// Asks whether to revoke a key. Revoking the account's own key signs it out.
    public func askToRevoke(_ id: String) {
        guard !isBusy, let key = state.rows.first(where: { $0.id == id }) else { return }
        question = Confirmation(
            title: Text.revokeTitle,
            text: key.isCurrent
                ? "This device uses '\(key.name)'. You are signed out of \(account.serverURL.authority)."
                : "A device or program that uses '\(key.name)' must sign in again.",
            action: Text.revoke)
        command = { session in
            try await session.revokeKey(id)
            return nil
        }
    }

    /// Answers the question with yes.
    public func confirm() {
        guard question != nil, let command else { return }
        cancel()
        isBusy = true
        perform(command)
    }

    /// Answers the question with no.
    public func cancel() {
        question = nil
        command = nil
    }

    func finishCommands() async {
        if isBusy { await work.finish() }
    }

    /// Performs a command, or none, and loads the list.
    private func perform(_ command: Command?) {
        // A command keeps the screen until it has ended.
        work.start { [session, weak self, kept = isBusy ? self : nil] isCurrent in
            var failure: (any Error)?
            do { failure = try await command?(session()) } catch { failure = error }
            do {
                let keys = try await session().keys()
                if isCurrent() { self?.state = .loaded(keys.map(Self.row), failure.map { ScreenError($0) }) }
            } catch {
                if isCurrent(), let self { self.state = self.state.failed(failure ?? error) }
            }
            kept?.isBusy = false
        }
    }

    private static func row(_ key: RemoteKey) -> Row {
        Row(
            id: key.id, name: ScreenText.line(key.name), scopes: ScreenText.line(key.scopes.joined(separator: " ")),
            lastUsed: key.lastUsed, isCurrent: key.isCurrent)
    }
}
