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
    }

    /// What the screen shows.
    public private(set) var state = ListState<Row>.loading

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let account: Account
    @ObservationIgnored let work = ScreenTask()

    init(_ client: LatchClient, account: Account) {
        self.client = client
        self.account = account
        load()
    }

    /// Loads the list again.
    public func load() { perform { _, _ in } }

    /// Ends a session on the server. The device that has it must sign in again.
    public func end(_ id: String) {
        guard state.rows.contains(where: { $0.id == id && !$0.isCurrent }) else { return }
        perform { client, account in try await client.endRemoteSession(id, of: account) }
    }

    private func perform(_ command: @escaping @Sendable (LatchClient, Account) async throws -> Void) {
        work.start { [client, account, weak self] isCurrent in
            do {
                try await command(client, account)
                let sessions = try await client.remoteSessions(of: account)
                if isCurrent() { self?.state = .loaded(sessions.map(Self.row), nil) }
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
