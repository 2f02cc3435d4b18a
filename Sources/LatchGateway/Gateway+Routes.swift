import HTTPServer
import Wire

extension Gateway {
    static func router(
        _ stores: GatewayStores, _ issuer: any SessionIssuer, _ attempts: SignInGuard, _ metrics: Metrics,
        _ bridge: Bridge?, _ isDraining: Flag, _ certificates: CertificateKeeper?
    ) -> Router {
        var router = Router { status, sentence, _ in OnyxAnswers.serverError(status, sentence) }
        if stores.settings.onyx.isEnabled { onyx(stores, issuer, attempts, metrics, bridge).add(to: &router) }
        if stores.settings.onyx.isEnabled { tokens(stores, issuer, bridge).add(to: &router) }
        ServiceRoutes(
            database: stores.database, sessions: stores.sessions, issuer: issuer, hasher: stores.hasher,
            metrics: metrics, settings: stores.settings.metrics, log: stores.log,
            isDraining: { isDraining.isRaised }, certificateSecondsLeft: { certificates?.secondsLeft }
        ).add(to: &router)
        return router
    }

    private static func onyx(
        _ stores: GatewayStores, _ issuer: any SessionIssuer, _ attempts: SignInGuard, _ metrics: Metrics,
        _ bridge: Bridge?
    ) -> OnyxRoutes {
        OnyxRoutes(
            settings: stores.settings.onyx, people: stores.people, issuer: issuer,
            signIn: PasswordSignIn(
                people: stores.people, hasher: stores.hasher, issuer: issuer, attempts: attempts, audit: stores.audit,
                log: stores.log),
            registration: Registration(people: stores.people, attempts: attempts, audit: stores.audit),
            proxies: stores.settings.trustedProxies, metrics: metrics, audit: stores.audit, log: stores.log,
            bridge: bridge, cookie: bridge?.sessionCookie,
            allowsPasswords: stores.settings.passwordsEnabled)
    }

    private static func tokens(
        _ stores: GatewayStores, _ issuer: any SessionIssuer, _ bridge: Bridge?
    ) -> TokenRoutes {
        let settings = stores.settings
        let clients = settings.introspectionClients.map { ($0.id, $0) }
        let address = PublicAddress(settings.publicURL, isTLS: settings.certificateFiles != nil)
        return TokenRoutes(
            prefix: settings.onyx.prefix, address: address,
            issuerAddress: address.configured.map { $0 + settings.onyx.prefix },
            allowsLoopbackRedirects: bridge != nil && settings.bridge.loopbackRedirects,
            clients: Dictionary(clients) { first, _ in first },
            basicFields: Set(settings.introspectionClients.map(\.basicField)), issuer: issuer,
            proxies: settings.trustedProxies, audit: stores.audit, log: stores.log)
    }
}
