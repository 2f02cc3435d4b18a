public import LatchKit
public import Observation

/// The app of a signed-in account, and the screens that a person reaches from it.
@MainActor @Observable
public final class MainScreen {
    /// The account, as it is stored now.
    public internal(set) var account: Account
    /// Why the server is not reached, as a sentence. Nil when it is, or when it was not asked yet.
    public internal(set) var offlineReason: String?
    /// Whether the reason is the certificate of the server, which ``AppScreen/signInAgain()`` asks about.
    public internal(set) var hasCertificateProblem = false

    /// The client.
    @ObservationIgnored let client: LatchClient
    @ObservationIgnored let commands: RunningCommands

    init(_ client: LatchClient, account: Account, offline: LatchError.Code?, commands: RunningCommands) {
        self.client = client
        self.commands = commands
        self.account = account
        follow(account, offline: offline)
    }

    /// Shows the account as it is stored now, and whether its server is reached.
    func follow(_ account: Account, offline: LatchError.Code?) {
        if self.account != account { self.account = account }
        let reason = Self.reason(offline, account)
        if offlineReason != reason { offlineReason = reason }
        let isCertificate = offline?.isAboutCertificate ?? false
        if hasCertificateProblem != isCertificate { hasCertificateProblem = isCertificate }
    }

    /// The person's name, safe to be displayed.
    public var name: String { ScreenText.line(account.displayName) }
    /// The person's e-mail address, safe to be displayed.
    public var email: String { ScreenText.line(account.userEmail) }

    /// The screen of the account.
    public func accountScreen() -> AccountScreen { AccountScreen(client, account: account, commands: commands) }

    static func reason(_ code: LatchError.Code?, _ account: Account) -> String? {
        guard let code else { return nil }
        let server = account.serverURL.authority
        return switch code {
        case .rejectionUnconfirmed: "Another address of \(server) rejects the session. It is checked again."
        case _ where code.isAboutCertificate:
            "The certificate of \(server) is not trusted any more. The app shows what is stored on this device."
        default: "\(server) is not reachable. The app shows what is stored on this device. Check the network."
        }
    }
}
