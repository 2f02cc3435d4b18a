public import FoundationEssentials
import LatchKit
public import Observation

/// The person's sessions on the server of an account.
@MainActor @Observable
public final class SessionsScreen {
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

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let account: Account
    @ObservationIgnored let work = ScreenTask()
    /// The sessions that ``confirm()`` ends.
    @ObservationIgnored private var leaving: [String] = []

    private var others: [Row] { state.rows.filter { !$0.isCurrent } }

    init(_ client: LatchClient, account: Account) {
        self.client = client
        self.account = account
        load()
    }

    /// Loads the list again.
    public func load() { perform { _, _ in } }

    /// Asks whether to end a session on the server. The device that has it must sign in again.
    public func askToEnd(_ id: String) {
        guard let session = others.first(where: { $0.id == id }) else { return }
        ask(Text.endTitle, Text.end, [session])
    }

    /// Asks whether to end all sessions but that of this device.
    public func askToEndOthers() {
        if canEndOthers { ask(Text.endOthersTitle, Text.endOthers, others) }
    }

    /// Answers the question with yes.
    public func confirm() {
        let ids = leaving
        guard question != nil else { return }
        cancel()
        perform { client, account in
            var failure: (any Error)?
            for id in ids {
                do { try await client.endRemoteSession(id, of: account) } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }

    /// Answers the question with no.
    public func cancel() {
        question = nil
        leaving = []
    }

    private func ask(_ title: String, _ action: String, _ sessions: [Row]) {
        let names =
            sessions.prefix(5).map { "'\($0.device)'" } + (sessions.count > 5 ? ["\(sessions.count - 5) more"] : [])
        let verb = sessions.count == 1 ? "is" : "are"
        leaving = sessions.map(\.id)
        question = Confirmation(
            title: title,
            text: "\(names.joined(separator: ", ")) \(verb) signed out of \(account.serverURL.authority) as "
                + "\(ScreenText.line(account.userEmail)), and must sign in again.",
            action: action)
    }

    private func perform(_ command: @escaping @Sendable (LatchClient, Account) async throws -> Void) {
        work.start { [client, account, weak self] isCurrent in
            var failure: ScreenError?
            do { try await command(client, account) } catch { failure = ScreenError(error) }
            do {
                let sessions = try await client.remoteSessions(of: account)
                if isCurrent() { self?.state = .loaded(sessions.map(Self.row), failure) }
            } catch {
                if isCurrent(), let self { self.state = self.state.failed(error) }
            }
        }
    }

    private static func row(_ session: RemoteSession) -> Row {
        let names = [session.device, session.system].filter { !$0.isEmpty }.map(ScreenText.line)
        return Row(
            id: session.id, device: names.isEmpty ? "Unknown device" : names.joined(separator: ", "),
            lastUsed: session.lastUsed ?? session.created, isCurrent: session.isCurrent)
    }
}
