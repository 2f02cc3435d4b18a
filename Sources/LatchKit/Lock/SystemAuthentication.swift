import Desktop
public import FoundationEssentials

/// The system's own authentication, which can unlock a ``DeviceLock``: the password of the person's user account, a
/// fingerprint, or whatever else the system accepts.
///
/// The system asks in a dialog of the desktop. It must have the policy file of Latchstring. It accepts the root user
/// without a question.
///
/// Source: polkit(8); docs/lock.md.
public struct SystemAuthentication: Sendable {
    /// The id of polkit's action.
    public static let action = "org.latchstring.unlock"

    private let environment: [String: String]
    private let usesTerminal: Bool
    /// The time in which the person must answer.
    var timeout = Duration.seconds(300)

    /// Describes the question. Nobody is asked yet.
    ///
    /// - Parameters:
    ///   - environment: The environment variables that locate the services of the system.
    ///   - usesTerminal: Whether the system asks at the terminal of this program when there is no dialog. Default: false.
    public init(
        _ environment: [String: String] = ProcessInfo.processInfo.environment, usesTerminal: Bool = false
    ) {
        self.environment = environment
        self.usesTerminal = usesTerminal
    }

    /// Asks the person to authenticate.
    func request() async throws {
        do {
            try await PolkitAuthorization(
                environment, action: Self.action, usesTerminal: usesTerminal, timeout: timeout
            ).request()
        } catch let error as DesktopError {
            let code: LatchError.Code =
                switch error.code {
                case .authenticationDenied: .systemAuthenticationDenied
                case .authenticationUnanswered: .systemAuthenticationUnanswered
                default: .systemAuthenticationUnavailable
                }
            throw LatchError(code, error.message, cause: error)
        }
    }
}
