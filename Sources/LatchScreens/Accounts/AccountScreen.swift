public import LatchKit
public import Observation

/// One account: who is signed in where, and what can be managed there.
@MainActor @Observable
public final class AccountScreen {
    /// A part of the account with a screen of its own.
    public enum Section: CaseIterable, Sendable {
        /// The person's sessions on the server.
        case sessions
        /// The person's API keys on the server.
        case keys
        /// The addresses of the server.
        case endpoints
        /// Proxy, header fields and certificates.
        case connection
        /// The person's password on the server.
        case password
        /// The person's PIN on the server.
        case pin

        /// The title of the section.
        @MainActor public var title: String {
            switch self {
            case .sessions: SessionsScreen.Text.title
            case .keys: KeysScreen.Text.title
            case .endpoints: EndpointsScreen.Text.title
            case .connection: ConnectionScreen.Text.title
            case .password: ChangePasswordScreen.Text.title
            case .pin: ServerPINScreen.Text.title
            }
        }
    }

    /// The texts of the screen.
    public enum Text {
        /// The name of the screen.
        public static let title = "This account"
    }

    /// The account, as it was stored when the screen was opened.
    public let account: Account
    /// The person's name, safe to be displayed.
    public var name: String { ScreenText.line(account.displayName) }
    /// The person's e-mail address, safe to be displayed.
    public var email: String { ScreenText.line(account.userEmail) }
    /// The host of the server.
    public var server: String { account.serverURL.authority }
    /// The version of the server. Nil until it is known.
    public private(set) var version: String?
    /// The server and its version, in one line.
    public var serverLine: String { version.map { "\(server), version \($0)" } ?? server }
    /// What the profile picture shows, for people who cannot see it.
    public var pictureName: String { "Profile picture of \(name)" }
    /// The bytes of the person's profile picture, at most 1 MiB of any image format. Nil when there is none.
    public private(set) var picture: [UInt8]?
    /// The sections that the server supports.
    public let sections: [Section]

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let commands: RunningCommands
    @ObservationIgnored private let work = ScreenTask()

    init(_ client: LatchClient, account: Account, commands: RunningCommands) {
        self.client = client
        self.commands = commands
        self.account = account
        let capabilities = account.capabilities
        sections = Section.allCases.filter { section in
            switch section {
            case .sessions: capabilities.contains(.remoteSessions)
            case .keys: capabilities.contains(.keys)
            case .password: capabilities.contains(.passwordChange)
            case .pin: capabilities.contains(.pin)
            case .endpoints, .connection: true
            }
        }
        load()
    }

    /// The screen of the person's sessions.
    public func sessions() -> SessionsScreen { commands.adding(SessionsScreen(client, account: account)) }
    /// The screen of the person's API keys.
    public func keys() -> KeysScreen { commands.adding(KeysScreen(client, account: account)) }
    /// The screen of the server's addresses.
    public func endpoints() -> EndpointsScreen { EndpointsScreen(client, account: account) }
    /// The screen of the person's PIN on the server.
    public func pin() -> ServerPINScreen { ServerPINScreen(client, account: account) }
    /// The screen of the connection to the server.
    public func connection() -> ConnectionScreen { ConnectionScreen(client, account: account) }
    /// The screen that changes the password.
    ///
    /// - Parameter onEnd: Called when the password was changed or the person left the screen.
    /// - Returns: The screen.
    public func password(onEnd: @escaping @MainActor (_ isChanged: Bool) -> Void) -> ChangePasswordScreen {
        ChangePasswordScreen(client, account: account, onResult: onEnd)
    }

    private func load() {
        work.start { [client, account, weak self] isCurrent in
            let version = try? await client.firstSync(of: account)?.version
            if isCurrent() { self?.version = version.map(ScreenText.line) }
            let picture = try? await client.profilePicture(of: account)
            if isCurrent() { self?.picture = picture?.bytes }
        }
    }
}
