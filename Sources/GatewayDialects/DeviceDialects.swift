package import GatewayCore
package import GatewayHTTP
package import HTTPServer

extension OnyxRoutes: DeviceDialect {
    package var deviceID: String { "onyx" }
    package var deviceTitle: String { "Onyx" }
}

extension ImmichRoutes: DeviceDialect {
    package var deviceID: String { "immich" }
    package var deviceTitle: String { "Immich" }
}

extension TimeTrackerRoutes: DeviceDialect {
    package var deviceID: String { "timetracker" }
    package var deviceTitle: String { "Time Tracker" }

    /// Issues a signed token, as the other ways to sign in do.
    package func issueDeviceToken(
        for person: Person, scopes: [String], _ approval: DeviceApproval, _ request: ServerRequest
    ) async throws -> DeviceToken {
        guard let issuer = issuerAddress(for: request) else {
            preconditionFailure("A gateway with an authorization server has an address.")
        }
        return try await issueDeviceSession(for: person, approval, request, token: shape(issuer))
    }
}

extension RelateMailRoutes: DeviceDialect {
    package var deviceID: String { "relate-mail" }
    package var deviceTitle: String { "Relate Mail" }
    /// An API key is lasting access.
    package var deviceAction: SensitiveAction { .makeKey }

    /// Returns all scopes when the device asks for none.
    package func deviceScopes(_ asked: [String]) -> [String]? {
        guard asked.allSatisfy({ APIKeyScope(written: $0) != nil }) else { return nil }
        return asked.isEmpty ? APIKeyScopes.all.words : asked
    }

    /// Creates an API key, because accounts of this family have a key and no session.
    package func issueDeviceToken(
        for person: Person, scopes: [String], _ approval: DeviceApproval, _ request: ServerRequest
    ) async throws -> DeviceToken {
        let origin = onyxOrigin(of: request)
        let made = try await services.apiKeys.create(
            for: person, name: origin.device.name ?? "latch", scopes: scopes,
            expires: settings.keyLifetime.map { services.now() + $0 }, maximum: settings.maximumKeys,
            recording: AuditEvent(
                .apiKeyMade, reason: "by-device", session: approval.browser, address: origin.address.description,
                request: origin.request))
        services.metrics.apiKey(.made)
        return DeviceToken(made.key, key: made.listed)
    }
}
