import HTTPClient
import OAuth

/// A sign-in with a code that the person enters in the browser of another device, such as a phone. For machines without a
/// browser, or that the person reaches only through a terminal.
///
/// Source: RFC 8628.
public struct DeviceSignIn: Sendable {
    /// What to show to the person.
    public struct Code: Sendable, Hashable {
        /// The code to enter, as the server writes it.
        public var userCode: String
        /// The address to open.
        public var address: String
        /// The same address with the code in it, for a QR code. Nil when the server has none.
        public var completeAddress: String?
        /// How long the code is valid.
        public var lifetime: Duration
    }

    /// An event that a program may show during the sign-in.
    public enum Event: Sendable {
        /// The server waits for the person to enter the code. Occurs once.
        case waiting(Code)
        /// The server could not be asked whether the person has decided. It is asked again.
        case retrying(LatchError)
    }

    /// The client id of this program at the server, for servers of OAuth that do not register programs. Nil for the one
    /// of an earlier sign-in there, or a new one that the server registers.
    public var clientID: String?
    /// The scopes of the account's key, when the server creates one. Nil for all scopes.
    public var scopes: [String]?
    /// How long to wait for the person. Nil for as long as the code is valid.
    public var timeout: Duration?
    /// Called for every event.
    public var onEvent: @Sendable (Event) -> Void
    /// Waits between two requests. Tests replace it.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// The time since any fixed moment. Tests replace it.
    var elapsed: @Sendable () -> Duration

    /// Makes a sign-in.
    ///
    /// - Parameters:
    ///   - clientID: The client id of this program at a server of OAuth. Nil for an earlier or new one.
    ///   - timeout: How long to wait for the person. Nil for as long as the code is valid.
    ///   - onEvent: Called for every event. It must show the code of ``Event/waiting(_:)``.
    public init(
        clientID: String? = nil, timeout: Duration? = nil, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.clientID = clientID
        self.timeout = timeout
        self.onEvent = onEvent
        let start = ContinuousClock.now
        elapsed = { start.duration(to: .now) }
    }

    /// Signs in and returns the server's tokens.
    ///
    /// `earlierDetails` are the stored details of the accounts at the server.
    func perform(
        at server: Server, _ connection: UnauthenticatedConnection, earlierDetails: [[String: String]]
    ) async throws -> Grant {
        try server.features.requireOpen()
        let pending =
            if let dialect = server.dialect as? OAuthDialect {
                try await dialect.beginDevice(clientID, earlierDetails: earlierDetails, connection)
            } else {
                try await GatewayDeviceSignIn(server: server, connection: connection).begin(
                    clientID: clientID, scopes: scopes)
            }
        let codes = pending.codes
        for page in [codes.verification, codes.completeVerification ?? codes.verification] {
            guard OAuthEndpoint(page) != nil else { throw Self.unreadable(pending.place) }
            try BrowserSignIn.requireEncryption(of: page, from: pending.place)
        }
        onEvent(
            .waiting(
                Code(
                    userCode: codes.userCode, address: codes.verification, completeAddress: codes.completeVerification,
                    lifetime: codes.expiresIn)))
        return try await pending.finish(try await DeviceWait(signIn: self, pending: pending, connection).response())
    }

    static func unreadable(_ place: ServerAddress, cause: (any Error)? = nil) -> LatchError {
        LatchError(
            .unreadableResponse,
            "Login failed: the response of \(place) to the request for a code cannot be read. Ask its operator.",
            cause: cause)
    }
}

/// A sign-in whose code waits for the person.
struct PendingDeviceSignIn: Sendable {
    /// The server that issues the tokens.
    let place: ServerAddress
    let codes: DeviceAuthorizationResponse
    /// The request for the tokens.
    let request: DialectRequest
    /// The key that the tokens are bound to. Nil for that of the connection, if it has one.
    let proofs: ProofSigner?
    /// Reads the response with the tokens.
    let finish: @Sendable (ClientResponse) async throws -> Grant

    /// Sends a request for codes and reads the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - place: The server that it goes to.
    ///   - connection: The connection.
    /// - Returns: The codes.
    /// - Throws: ``LatchError``; `CancellationError`.
    static func codes(
        _ request: DialectRequest, from place: ServerAddress, _ connection: UnauthenticatedConnection
    ) async throws -> DeviceAuthorizationResponse {
        let response = try await connection.send(request)
        guard response.status.isSuccess else {
            switch OAuthDialect.tokenError(response)?.error {
            case "invalid_client": throw OAuthDialect.unknownClient(at: place)
            case "unauthorized_client":
                throw LatchError(
                    .deviceLoginDisabled,
                    "Login failed: \(place) does not let this client sign in with a code on another device. Ask its "
                        + "operator to allow it the device grant, or sign in with the browser.")
            default: throw OAuthDialect().signInFailure(response, at: place)
            }
        }
        do {
            return try DeviceAuthorizationResponse(parsing: response.body)
        } catch {
            if let reason = InterceptedResponse.reason(for: response, from: place, expectsJSON: true) {
                throw LatchError(
                    .interceptedResponse, "Could not sign in: the response did not come from \(place); \(reason)")
            }
            throw DeviceSignIn.unreadable(place, cause: error)
        }
    }

    /// The error for a server that gives no codes.
    static func notOffered(by place: ServerAddress, _ reason: String) -> LatchError {
        LatchError(
            .deviceLoginDisabled,
            "Login failed: \(place) does not offer sign-in with a code on another device; \(reason). Use another way to "
                + "sign in.")
    }
}
