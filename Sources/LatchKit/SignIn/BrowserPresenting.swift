/// Shows a sign-in page to the person, in a program that does it itself.
///
/// A program conforms to it to use what its platform has for this purpose, such as `ASWebAuthenticationSession` on
/// Apple systems, and passes it to ``Browser/presenter(_:)``. The page must be in a browser, never in a view of the
/// program: the person must see the address, and the program must not see the password.
///
/// Source: RFC 8252 §8.12.
public protocol BrowserPresenting: Sendable {
    /// Shows a page until the sign-in is complete.
    ///
    /// The task is cancelled when the callback arrives another way, when the sign-in times out and when it is
    /// cancelled. The page should be closed then.
    ///
    /// - Parameters:
    ///   - address: The address of the page.
    ///   - callback: The redirect address at which the sign-in ends. Its scheme is what the platform may ask for.
    ///   - isEphemeral: Whether the page must not share cookies with the person's own browser (TT-2).
    /// - Returns: The complete callback address, if the program received it. An address that does not belong to this
    ///   sign-in ends it with ``LatchError/Code/callbackInvalid``. Nil when the page was passed to a browser
    ///   whose end cannot be observed; the sign-in then waits for the callback.
    /// - Throws: ``LatchError/Code/browserClosed`` or `CancellationError` when the person closed the page, which ends the
    ///   sign-in. After
    ///   another error the sign-in waits for the callback, and ``BrowserSignIn/Event/browserFailed(_:)`` reports it.
    func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String?
}
