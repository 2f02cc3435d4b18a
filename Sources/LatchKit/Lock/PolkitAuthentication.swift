import Desktop

/// The authentication of a Linux desktop, by polkit.
///
/// Source: polkit(8); docs/lock.md.
struct PolkitAuthentication: SystemAuthenticating {
    let environment: [String: String]
    /// Whether polkit asks at the terminal of this program when there is no dialog.
    let usesTerminal: Bool
    /// The time in which the person must answer.
    private let timeout = Duration.seconds(300)

    func authenticate() async throws {
        do {
            try await PolkitAuthorization(
                environment, action: SystemAuthentication.action, usesTerminal: usesTerminal, timeout: timeout
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
