/// Asks the person to authenticate to the system, in a program that does it itself.
///
/// A program conforms to it to use what its platform has for this purpose, such as `LAContext` on Apple systems, and
/// passes it to ``SystemAuthentication/init(_:)``.
///
/// Source: IM-15.
public protocol SystemAuthenticating: Sendable {
    /// Asks the person, and returns when the system accepted the authentication. The question should be closed when the
    /// task is cancelled.
    ///
    /// - Throws: ``LatchError`` with the code ``LatchError/Code/systemAuthenticationDenied``,
    ///   ``LatchError/Code/systemAuthenticationUnanswered`` or ``LatchError/Code/systemAuthenticationUnavailable``;
    ///   `CancellationError`.
    func authenticate() async throws
}
