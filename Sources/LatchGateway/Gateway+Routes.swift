import HTTPServer
import Wire

extension Gateway {
    static func router(
        _ services: GatewayServices, _ isDraining: Flag, _ certificates: CertificateKeeper?
    ) throws(GatewayError) -> Router {
        let settings = services.settings
        var dialects: [any GatewayDialect] = [OnyxRoutes(services: services)]
        if settings.immich.isEnabled { dialects.append(ImmichRoutes(services: services)) }
        if settings.timeTracker.isEnabled { dialects.append(TimeTrackerRoutes(services: services)) }
        if settings.relateMail.isEnabled { dialects.append(RelateMailRoutes(services: services)) }
        if settings.verify.isEnabled { dialects.append(VerifyRoutes(services: services)) }
        if settings.pages.isEnabled { dialects.append(PageRoutes(services: services)) }
        return try GatewayDialects.router(dialects) { router in
            if settings.onyx.isEnabled { tokens(services).add(to: &router) }
            ServiceRoutes(
                database: services.database, sessions: services.sessions, issuer: services.issuer,
                hasher: services.hasher, metrics: services.metrics, settings: settings.metrics, log: services.log,
                isDraining: { isDraining.isRaised }, certificateSecondsLeft: { certificates?.secondsLeft }
            ).add(to: &router)
        }
    }

    private static func tokens(_ services: GatewayServices) -> TokenRoutes {
        let settings = services.settings
        let clients = settings.introspectionClients.map { ($0.id, $0) }
        return TokenRoutes(
            prefix: settings.onyx.prefix, address: services.address,
            issuerAddress: services.address.configured.map { $0 + settings.onyx.prefix },
            allowsLoopbackRedirects: services.bridge != nil && settings.bridge.loopbackRedirects,
            clients: Dictionary(clients) { first, _ in first },
            basicFields: Set(settings.introspectionClients.map(\.basicField)), issuer: services.issuer,
            proxies: settings.trustedProxies, audit: services.audit, log: services.log)
    }
}
