public import FoundationEssentials
import LatchDownloads
public import LatchKit
public import Observation

/// The accounts of this device: which one is active, and which are signed in.
///
/// Source: RM-2, RM-3; IM-11; TT-12.
@MainActor @Observable
public final class AccountsScreen: CommandScreen {
    /// One account in the list. Texts from the server are safe to be displayed.
    public struct Row: Identifiable, Equatable, Sendable {
        /// The id of the account.
        public let id: Account.ID
        /// The person's name.
        public let name: String
        /// The person's e-mail address.
        public let email: String
        /// The host of the server.
        public let server: String
        /// The state of the session, in a few words, such as "Signed in".
        public let status: String
        /// Whether the account is the active one.
        public let isActive: Bool
        /// Whether the account has a session.
        public let isSignedIn: Bool
        /// When the account was last used.
        public let lastUsed: Date
        /// The name of the button that makes the account the active one, for screen readers.
        public var useName: String { "\(Text.use) to this account: \(email), \(server)" }
    }

    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The list. The error is that of the last command.
        case list(ScreenError?)
        /// The question whether to sign out of accounts. The text names them, and says what is lost.
        case confirming([Account.ID], String)
        /// The person is being signed out.
        case signingOut([Account.ID])
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Accounts"
        /// The button that adds an account.
        public static let add = "Add account"
        /// The button that signs out of one account, and the one that confirms it.
        public static let signOut = "Sign out"
        /// The button that signs out of all accounts.
        public static let signOutOfAll = "Sign out of all"
        /// The heading of the question.
        public static let confirmTitle = "Sign out?"
        /// The button that makes an account the active one.
        public static let use = "Switch"
        /// The mark of the active account.
        public static let active = "Active"
    }

    /// What the screen shows.
    public private(set) var state = State.list(nil)
    /// The accounts, as they are stored now.
    public private(set) var rows: [Row] = []
    /// What a sign-out could not do, such as reaching the server, each a sentence.
    public private(set) var warnings: [String] = []
    /// The question whether to sign out. Nil when it is not asked.
    public var question: Confirmation? {
        guard case .confirming(_, let text) = state else { return nil }
        return Confirmation(title: Text.confirmTitle, text: text, action: Text.signOut)
    }
    /// The error of the last command. Nil when there is none.
    public var error: ScreenError? { if case .list(let error) = state { error } else { nil } }

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let onAdd: @MainActor () -> Void
    @ObservationIgnored private var accounts: [Account] = []
    /// The last command. Commands run one after another, and are completed when the screen is left.
    @ObservationIgnored private var command: Task<Void, Never>?

    init(_ client: LatchClient, onAdd: @escaping @MainActor () -> Void) {
        self.client = client
        self.onAdd = onAdd
    }

    func update(_ states: [AccountState]) {
        accounts = states.map(\.account)
        let new = states.map(Self.row)
        if new != rows { rows = new }
    }

    /// Begins the sign-in to another account.
    public func add() { onAdd() }

    /// Makes an account the active one.
    public func use(_ id: Account.ID) {
        guard case .list = state, rows.contains(where: { $0.id == id && !$0.isActive }) else { return }
        perform { [self] in
            do {
                try await client.accounts.setActiveAccount(id)
            } catch {
                state = .list(ScreenError(error))
            }
        }
    }

    /// Asks whether to sign out of an account.
    public func askToSignOut(of id: Account.ID) { ask([id]) }

    /// Asks whether to sign out of all accounts.
    public func askToSignOutOfAll() { ask(rows.map(\.id)) }

    /// Signs out of the accounts in the question.
    public func confirm() {
        guard case .confirming(let ids, _) = state else { return }
        state = .signingOut(ids)
        warnings = []
        let leaving = accounts.filter { ids.contains($0.id) }
        perform { [self] in
            var failure: ScreenError?
            for account in leaving {
                do {
                    let report = try await client.signOutDroppingDownloads(account).report.get()
                    if let problem = report.failure { warn(of: account, problem.message) }
                } catch {
                    if let failure { warnings.append(failure.message) }
                    failure = ScreenError(error)
                }
            }
            state = .list(failure)
        }
    }

    /// Answers the question with no.
    public func cancel() {
        guard case .confirming = state else { return }
        state = .list(nil)
    }

    func finishCommands() async { await command?.value }

    private func perform(_ body: @escaping @MainActor () async -> Void) {
        command = Task { [previous = command] in
            await previous?.value
            await body()
        }
    }

    private func ask(_ ids: [Account.ID]) {
        guard case .list = state, !ids.isEmpty else { return }
        let leaving = rows.filter { ids.contains($0.id) }
        state = .list(nil)
        perform { [self] in
            // The command before it may have failed, or asked.
            guard state == .list(nil) else { return }
            do {
                let waiting = try await client.waitingDownloads(of: ids).values.reduce(0, +)
                state = .confirming(ids, Self.question(leaving, waiting))
            } catch {
                state = .list(ScreenError(error))
            }
        }
    }

    private func warn(of account: Account, _ problem: String) {
        let (email, server) = (ScreenText.line(account.userEmail), account.serverURL.authority)
        warnings.append(
            "The session of \(email) at \(server) was not ended on the server. \(problem) End it on the account page of "
                + "the server.")
    }

    private static func question(_ leaving: [Row], _ waiting: Int) -> String {
        let who =
            leaving.count == 1
            ? "You sign out of \(leaving[0].server) as \(leaving[0].email)."
            : "You sign out of all \(leaving.count) accounts."
        switch waiting {
        case 0: return "\(who) Downloaded files stay in their folder, and leave the list of downloads."
        case 1: return "\(who) 1 file that waits to be downloaded is removed from the queue."
        default: return "\(who) \(waiting) files that wait to be downloaded are removed from the queue."
        }
    }

    private static func row(_ state: AccountState) -> Row {
        let account = state.account
        return Row(
            id: account.id, name: ScreenText.line(account.displayName), email: ScreenText.line(account.userEmail),
            server: account.serverURL.authority, status: status(state), isActive: account.isActive,
            isSignedIn: state.state.isSignedIn, lastUsed: account.lastUsedAt)
    }

    private static func status(_ state: AccountState) -> String {
        switch state.state {
        case .restoring: "Checking…"
        case .signedIn where state.account.mustChangePassword: "New password required"
        case .signedIn(.verified), .signedIn(.unverified(nil)): "Signed in"
        case .signedIn(.unverified): "Signed in, server not reachable"
        case .unavailable(.pinRequired): "Locked"
        case .unavailable: "Not available"
        case .signingOut: "Signing out…"
        case .signedOut: "Signed out"
        }
    }
}
