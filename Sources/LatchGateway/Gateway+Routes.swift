import HTTPServer
import Wire

extension Gateway {
    static func router(
        _ stores: GatewayStores, _ issuer: any SessionIssuer, _ attempts: SignInGuard, _ metrics: Metrics,
        _ isDraining: Flag, _ certificates: CertificateKeeper?
    ) -> Router {
        var router = Router { status, sentence, _ in OnyxAnswers.serverError(status, sentence) }
        if stores.settings.onyx.isEnabled { onyx(stores, issuer, attempts, metrics).add(to: &router) }
        ServiceRoutes(
            database: stores.database, sessions: stores.sessions, issuer: issuer, hasher: stores.hasher,
            metrics: metrics, settings: stores.settings.metrics, log: stores.log,
            isDraining: { isDraining.isRaised }, certificateSecondsLeft: { certificates?.secondsLeft }
        ).add(to: &router)
        return router
    }

    private static func onyx(
        _ stores: GatewayStores, _ issuer: any SessionIssuer, _ attempts: SignInGuard, _ metrics: Metrics
    ) -> OnyxRoutes {
        OnyxRoutes(
            settings: stores.settings.onyx, people: stores.people, issuer: issuer,
            signIn: PasswordSignIn(
                people: stores.people, hasher: stores.hasher, issuer: issuer, attempts: attempts, audit: stores.audit,
                log: stores.log),
            registration: Registration(people: stores.people, attempts: attempts, audit: stores.audit),
            proxies: stores.settings.trustedProxies, metrics: metrics, audit: stores.audit, log: stores.log)
    }
}
