// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import AuthenticationServices
import Foundation
import LatchKit

/// One browser session, from its start to its end.
@MainActor
final class WebAuthenticationRun: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let request: WebAuthenticationRequest
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

    init(_ request: WebAuthenticationRequest, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.request = request
        self.anchor = anchor
    }

    /// Runs the session and returns the callback address. Cancelling the task closes the page.
    func link() async throws -> String {
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { start($0) }
        } onCancel: {
            Task { @MainActor in self.cancel() }
        }
    }

    /// Starts the session.
    ///
    /// Source: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession/start()
    private func start(_ continuation: CheckedContinuation<String, any Error>) {
        let session = makeSession { continuation.resume(with: $0) }
        self.session = session
        // When it returns false, the completion handler is called with the reason.
        session.start()
    }

    /// Makes the session, which is not started yet.
    ///
    /// The completion handler is `@Sendable`, because the system does not say on which thread it calls it.
    ///
    /// Source: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession, its pages
    /// `init(url:callback:completionHandler:)`, `prefersEphemeralWebBrowserSession` and `presentationContextProvider`
    func makeSession(onEnd: @escaping @Sendable (Result<String, any Error>) -> Void) -> ASWebAuthenticationSession {
        let session = ASWebAuthenticationSession(url: request.url, callback: .customScheme(request.scheme)) {
            @Sendable url, error in
            onEnd(Self.result(url, error))
        }
        session.prefersEphemeralWebBrowserSession = request.isEphemeral
        session.presentationContextProvider = self
        return session
    }

    /// Closes the page, after which the completion handler is called.
    ///
    /// Source: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession/cancel()
    private func cancel() { session?.cancel() }

    /// Returns the window over which the page appears.
    ///
    /// Source: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

    /// Source: https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsessionerror-swift.struct/code
    nonisolated static func result(_ url: URL?, _ error: (any Error)?) -> Result<String, any Error> {
        if let url { return .success(url.absoluteString) }
        if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
            return .failure(
                LatchError(
                    .browserClosed, "The sign-in page was closed before the sign-in was complete. Sign in again."))
        }
        return .failure(
            LatchError(.browserMissing, "The system could not show the sign-in page. Try again.", cause: error))
    }
}
