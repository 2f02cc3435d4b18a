public import LatchKit
public import Observation

/// The app of a signed-in account, and the screens that a person reaches from it.
@MainActor @Observable
public final class MainScreen {
    /// The account, as it is stored now.
    public internal(set) var account: Account
    /// Why the server is not reached, as a sentence. Nil when it is, or when it was not asked yet.
    public internal(set) var offlineReason: String?

    /// The client.
    @ObservationIgnored let client: LatchClient
    @ObservationIgnored let commands: RunningCommands

    init(_ client: LatchClient, account: Account, offline: LatchError.Code?, commands: RunningCommands) {
        self.client = client
        self.commands = commands
        self.account = account
        offlineReason = Self.reason(offline, account)
    }

    /// The person's name, safe to be displayed.
    public var name: String { ScreenText.line(account.displayName) }
    /// The person's e-mail address, safe to be displayed.
    public var email: String { ScreenText.line(account.userEmail) }

    /// The screen of the account.
    public func accountScreen() -> AccountScreen { AccountScreen(client, account: account) }

    static func reason(_ code: LatchError.Code?, _ account: Account) -> String? {
        guard let code else { return nil }
        return code == .rejectionUnconfirmed
            ? "Another address of \(account.serverURL.authority) rejects the session. It is checked again."
            : "\(account.serverURL.authority) is not reachable. The app shows what is stored on this device. Check the network."
    }
}
