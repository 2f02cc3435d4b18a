import HTTPClient
import HTTPMessages
import OAuth

/// Asks a server for the tokens of a device until the person has decided.
///
/// Source: RFC 8628 §3.4 and §3.5.
struct DeviceWait: Sendable {
    /// How much longer to wait between two requests after `slow_down`.
    private static let slowDown = Duration.seconds(5)
    /// The longest wait between two requests while the server cannot be reached.
    private static let longestPause = Duration.seconds(60)
    /// How long a request may still take when the task is cancelled, so that its tokens can be revoked.
    private static let grace = Duration.seconds(2)

    private let signIn: DeviceSignIn
    private let pending: PendingDeviceSignIn
    private let connection: UnauthenticatedConnection

    init(signIn: DeviceSignIn, pending: PendingDeviceSignIn, _ connection: UnauthenticatedConnection) {
        self.signIn = signIn
        self.pending = pending
        self.connection = pending.proofs.map(connection.proving) ?? connection
    }

    private enum Answer {
        case tokens(ClientResponse)
        case waiting
        case slowDown
        /// The server could not be reached, or does not answer now.
        case failing(LatchError)
    }

    /// Returns the response with the tokens.
    ///
    /// - Throws: ``LatchError/Code/signInDenied``, ``LatchError/Code/signInTimedOut``, ``LatchError/Code/codeRefused``,
    ///   ``LatchError/Code/serverRefused`` and the errors of certificates; `CancellationError`.
    func response() async throws -> ClientResponse {
        var interval = pending.codes.interval
        var failures = 0
        let end = signIn.elapsed() + min(pending.codes.expiresIn, signIn.timeout ?? pending.codes.expiresIn)
        while true {
            let wanted = min(interval * (1 << min(failures, 6)), max(Self.longestPause, interval))
            let left = end - signIn.elapsed()
            guard left > .zero else { throw expired }
            try await signIn.pause(min(wanted, left))
            switch try await ask() {
            case .tokens(let response): return response
            case .waiting: failures = 0
            case .slowDown:
                failures = 0
                interval += Self.slowDown
            case .failing(let error):
                failures += 1
                signIn.onEvent(.retrying(error))
            }
        }
    }

    private func ask() async throws -> Answer {
        let response: ClientResponse
        do {
            response = try await send()
        } catch let error as LatchError where Self.passing.contains(error.code) {
            return .failing(error)
        }
        if response.status.isSuccess, (try? TokenResponse(parsing: response.body, allowsBound: true)) != nil {
            return .tokens(response)
        }
        guard let error = OAuthDialect.tokenError(response) else {
            let failure = OAuthDialect().signInFailure(response, at: pending.place)
            let mayPass: [LatchError.Code] = [.rateLimited, .serverError, .interceptedResponse]
            guard mayPass.contains(failure.code) else { throw failure }
            return .failing(failure)
        }
        switch error.error {
        case "authorization_pending": return .waiting
        case "slow_down": return .slowDown
        case "access_denied":
            throw LatchError(
                .signInDenied, "Login failed: the sign-in was denied on the other device. You were not signed in.")
        case "expired_token": throw expired
        case "invalid_client": throw OAuthDialect.unknownClient(at: pending.place)
        case "invalid_grant":
            throw LatchError(
                .codeRefused,
                "Login failed: \(pending.place) does not accept the code any more; it expired or was already used. Sign "
                    + "in again.")
        default:
            let message = SanitizedText.clause(error.description ?? error.error)
            throw LatchError(.serverRefused, "Login failed: \(pending.place) says: \(message).")
        }
    }

    /// Sends the request. When the task is cancelled, a request in progress has a moment to end: the server may have
    /// issued the tokens, which are then revoked.
    private func send() async throws -> ClientResponse {
        try Task.checkCancellation()
        let exchange = Task { [connection, pending] in try await connection.send(pending.request) }
        return try await withTaskCancellationHandler {
            try await exchange.value
        } onCancel: {
            Task {
                try? await Task.sleep(for: Self.grace)
                exchange.cancel()
            }
        }
    }

    /// The failures of the network that may pass.
    private static let passing: Set<LatchError.Code> = [
        .nameNotFound, .connectionRefused, .unreachable, .timedOut, .connectionLost, .tlsFailed, .proxyFailed,
    ]

    private var expired: LatchError {
        LatchError(
            .signInTimedOut,
            "Login failed: the code was not used in time. You were not signed in. Sign in again for a new code.")
    }
}
