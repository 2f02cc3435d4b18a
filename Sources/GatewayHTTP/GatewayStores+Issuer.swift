import GatewayConfiguration
package import GatewayCore
package import SignInBridge

extension GatewayStores {
    /// Returns the issuer of session tokens that the settings name.
    ///
    /// - Parameter keys: The keys of the gateway, which refresh tokens need.
    /// - Returns: The issuer.
    package func sessionIssuer(_ keys: BridgeKeys?) -> any SessionIssuer {
        let base = StatefulSessionIssuer(
            database: database, lifetime: settings.sessions, enforcesPasswordChange: settings.passwordsEnabled,
            audit: audit, lease: lease, now: now)
        guard settings.sessions.tokens == .rotating, let keys else { return base }
        return RotatingSessionIssuer(base, clientSessions(keys, settings.sessions.accessToken, base), now: now)
    }

    /// Returns a store of refresh tokens.
    ///
    /// - Parameters:
    ///   - keys: The keys of the gateway.
    ///   - accessTokenLifetime: How long an access token lives.
    ///   - issuer: The issuer that has sessions in memory.
    /// - Returns: The store.
    func clientSessions(
        _ keys: BridgeKeys, _ accessTokenLifetime: Duration, _ issuer: any SessionIssuer
    ) -> ClientSessionStore {
        ClientSessionStore(
            database: database, key: keys.refresh, lifetime: settings.sessions,
            accessTokenLifetime: accessTokenLifetime,
            maximumRegistered: settings.authorizationServer.registration.maximum,
            enforcesPasswordChange: settings.passwordsEnabled, audit: audit, now: now,
            onSessionsEnded: { issuer.invalidate(person: $0) })
    }
}
