// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import AuthenticationServices
import Foundation
public import LatchKit

/// Shows the sign-in page in the system's browser session. Pass it as `Browser.presenter(_:)`, with the callback by
/// custom scheme.
///
/// Source: TT-2; https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
public struct WebAuthentication: BrowserPresenting {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Makes a presenter.
    ///
    /// - Parameter anchor: Returns the window over which the page appears.
    public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) { self.anchor = anchor }

    /// Shows a page until it redirects to the scheme of `callback`, or the person closes it.
    ///
    /// - Throws: `LatchError` with the code `browserClosed` when the person closed the page, `callbackUnavailable` when
    ///   the callback has no custom scheme, `browserMissing` when the system cannot show the page; `CancellationError`.
    public func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String? {
        let request = try WebAuthenticationRequest(address, callback: callback, isEphemeral: isEphemeral)
        return try await WebAuthenticationRun(request, anchor: anchor).link()
    }
}
