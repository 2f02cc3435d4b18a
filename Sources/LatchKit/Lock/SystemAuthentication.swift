public import FoundationEssentials

/// The system's own authentication, which can unlock a ``DeviceLock``: the password of the person's user account, a
/// fingerprint, or whatever else the system accepts.
///
/// On Linux the system asks in a dialog of the desktop. It must have the policy file of Latchstring. It accepts the root
/// user without a question. On other systems a program passes its own ``SystemAuthenticating``.
///
/// Source: polkit(8); docs/lock.md.
public struct SystemAuthentication: Sendable {
    /// The id of polkit's action.
    public static let action = "org.latchstring.unlock"

    private let authenticator: any SystemAuthenticating

    /// Describes the question of polkit. Nobody is asked yet.
    ///
    /// - Parameters:
    ///   - environment: The environment variables that locate the services of the system.
    ///   - usesTerminal: Whether the system asks at the terminal of this program when there is no dialog. Default: false.
    public init(
        _ environment: [String: String] = ProcessInfo.processInfo.environment, usesTerminal: Bool = false
    ) {
        self.init(PolkitAuthentication(environment: environment, usesTerminal: usesTerminal))
    }

    /// Describes a question that the program itself asks. Nobody is asked yet.
    public init(_ authenticator: some SystemAuthenticating) { self.authenticator = authenticator }

    /// Asks the person to authenticate.
    func request() async throws { try await authenticator.authenticate() }
}
