package import Crypto
import FoundationEssentials
package import GatewayCore
package import HTTPServer

/// A dialect that devices without a browser can sign in to with the device authorization grant of the gateway.
///
/// The token that a device gets is one of the dialect, as from its other ways to sign in.
///
/// Source: RFC 8628.
package protocol DeviceDialect: ServiceDialect {
    /// The id of the server family, as clients know it, such as `immich`.
    var deviceID: String { get }
    /// What a device gets access to, for people, such as `Immich`.
    var deviceTitle: String { get }
    /// The action that needs a recent sign-in of the person who allows it. Default: ``SensitiveAction/allowDevice``.
    var deviceAction: SensitiveAction { get }

    /// Returns the scopes of the token when a device asks for some. Nil when the dialect has no such scope. Default: none,
    /// because the tokens of the dialect have no scopes.
    func deviceScopes(_ asked: [String]) -> [String]?

    /// Issues the token for a device.
    ///
    /// By default, the token is an opaque one of a new session.
    ///
    /// - Parameters:
    ///   - person: The person who allowed it.
    ///   - scopes: The scopes of ``deviceScopes(_:)``.
    ///   - approval: How the person allowed it.
    ///   - request: The request of the device for its token.
    /// - Returns: The token.
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the person was disabled, removed or signed out since;
    ///   `DatabaseError`.
    func issueDeviceToken(
        for person: Person, scopes: [String], _ approval: DeviceApproval, _ request: ServerRequest
    ) async throws -> DeviceToken
}

/// The token of a device.
package struct DeviceToken: Sendable {
    /// The text of the token.
    package let token: Secret
    /// How long it is valid. Nil when the device need not know.
    package let expiresIn: Duration?
    /// The session of the token. Nil when the token is an API key.
    package let session: SessionID?
    /// The API key. Nil when the token is that of a session.
    package let key: APIKey?
    /// The key that the token is bound to. Nil for a bearer token.
    package let keyThumbprint: String?

    /// Creates a token.
    package init(
        _ token: Secret, expiresIn: Duration? = nil, session: SessionID? = nil, key: APIKey? = nil,
        keyThumbprint: String? = nil
    ) {
        self.token = token
        self.expiresIn = expiresIn
        self.session = session
        self.key = key
        self.keyThumbprint = keyThumbprint
    }
}

extension DeviceDialect {
    /// Allowing a device, whose session outlives the one in which it was allowed.
    package var deviceAction: SensitiveAction { .allowDevice }

    /// No scopes.
    package func deviceScopes(_ asked: [String]) -> [String]? { [] }

    /// Issues an opaque token of a new session.
    package func issueDeviceToken(
        for person: Person, scopes: [String], _ approval: DeviceApproval, _ request: ServerRequest
    ) async throws -> DeviceToken {
        try await issueDeviceSession(for: person, approval, request, token: .opaque)
    }

    /// Starts a session of a device. If the browser in which the person allowed it signed in through an identity provider,
    /// the provider also ends the new session. The new session ends no later than the maximum of the browser's.
    ///
    /// Nobody authenticated at the device, so its session never counts as a recent sign-in for a ``SensitiveAction`` or
    /// an access rule.
    package func issueDeviceSession(
        for person: Person, _ approval: DeviceApproval, _ request: ServerRequest, token format: TokenFormat
    ) async throws -> DeviceToken {
        let credential = try await services.issuer.issue(
            for: person, device: onyxOrigin(of: request).device, token: format,
            authenticated: .distantPast)
        // The new session may have displaced the browser's, if the person has too many.
        RequestActor.forget()
        try await services.sessions.record(browser: approval.browser, of: credential.session)
        return DeviceToken(
            credential.token, expiresIn: credential.expiresIn, session: credential.session,
            keyThumbprint: credential.keyThumbprint)
    }
}
