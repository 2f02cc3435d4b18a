public import FoundationEssentials
import LatchKit
public import Observation

/// The person's sessions on the server of an account.
@MainActor @Observable
public final class SessionsScreen: CommandScreen {
    /// One session in the list. Texts from the server are safe to be displayed.
    public struct Row: Identifiable, Equatable, Sendable {
        /// The id of the session on the server.
        public let id: String
        /// The name of the device and its system.
        public let device: String
        /// When the session was last used. Nil when the server does not say.
        public let lastUsed: Date?
        /// Whether it is the session of this device. It is ended by signing out.
        public let isCurrent: Bool
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Sessions"
        /// The button that ends a session.
        public static let end = "End session"
        /// The mark of the session of this device.
        public static let current = "This device"
        /// The button that ends all sessions but that of this device.
        public static let endOthers = "End all other sessions"
        /// The heading of the question whether to end a session.
        public static let endTitle = "End the session?"
        /// The heading of the question whether to end all other sessions.
        public static let endOthersTitle = "End all other sessions?"
    }

    /// What the screen shows.
    public private(set) var state = ListState<Row>.loading
    /// The question that the person is asked before sessions end. Nil when there is none.
    public private(set) var question: Confirmation?
    /// Whether there are several other sessions, so that ``askToEndOthers()`` does anything.
    public var canEndOthers: Bool { others.count > 1 }
    /// Whether a command is running. It is completed when the screen is left, and no other one begins before.
    public private(set) var isBusy = false

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let account: Account
    @ObservationIgnored private let work = ScreenTask()
    /// The sessions that ``confirm()`` ends.
    @ObservationIgnored private var sessionsToEnd: [String] = []

    private var others: [Row] { state.rows.filter { !$0.isCurrent } }

    init(_ client: LatchClient, account: Account) {
        self.client = client
        self.account = account
    }

    /// Loads the list. Called when the screen is shown.
    public func load() {
        guard !isBusy else { return }
        endSessions([])
    }

    /// Asks whether to end a session on the server. The device that has it must sign in again.
    public func askToEnd(_ id: String) {
        guard !isBusy, let session = others.first(where: { $0.id == id }) else { return }
        ask(Text.endTitle, Text.end, [session])
    }

    /// Asks whether to end all sessions but that of this device.
    public func askToEndOthers() {
        if !isBusy, canEndOthers { ask(Text.endOthersTitle, Text.endOthers, others) }
    }

    /// Answers the question with yes.
    public func confirm() {
        let ids = sessionsToEnd
        guard question != nil else { return }
        cancel()
        isBusy = true
        endSessions(ids)
    }

    /// Answers the question with no.
    public func cancel() {
        question = nil
        sessionsToEnd = []
    }

    func finishCommands() async {
        if isBusy { await work.finish() }
    }

    private func ask(_ title: String, _ action: String, _ sessions: [Row]) {
        let names =
            sessions.prefix(5).map { "'\($0.device)'" } + (sessions.count > 5 ? ["\(sessions.count - 5) more"] : [])
        let verb = sessions.count == 1 ? "is" : "are"
        sessionsToEnd = sessions.map(\.id)
        question = Confirmation(
            title: title,
            text: "\(names.joined(separator: ", ")) \(verb) signed out of \(account.serverURL.authority) as "
                + "\(ScreenText.line(account.userEmail)), and must sign in again.",
            action: action)
    }

    /// Ends sessions, and loads the list.
    private func endSessions(_ ids: [String]) {
        // A command keeps the screen until it has ended.
        work.start { [client, account, weak self, kept = isBusy ? self : nil] isCurrent in
            var failures: [LatchError] = []
            for id in ids {
                do { try await client.endRemoteSession(id, of: account) } catch {
                    failures.append(LatchError(any: error))
                }
            }
            let failure = Self.failure(failures, of: ids.count)
            do {
                let sessions = try await client.remoteSessions(of: account)
                if isCurrent() { self?.state = .loaded(sessions.map(Self.row), failure.map { ScreenError($0) }) }
            } catch {
                if isCurrent(), let self { self.state = self.state.failed(failure ?? error) }
            }
            kept?.isBusy = false
        }
    }

    /// Returns one error for all sessions that could not be ended, with the reason of the first one.
    private static func failure(_ failures: [LatchError], of count: Int) -> LatchError? {
        guard count > 1, let first = failures.first else { return failures.first }
        return LatchError(first.code, "\(failures.count) of \(count) sessions were not ended. \(first.message)")
    }

    private static func row(_ session: RemoteSession) -> Row {
        let names = [session.device, session.system].filter { !$0.isEmpty }.map(ScreenText.line)
        return Row(
            id: session.id, device: names.isEmpty ? "Unknown device" : names.joined(separator: ", "),
            lastUsed: session.lastUsed ?? session.created, isCurrent: session.isCurrent)
    }
}
