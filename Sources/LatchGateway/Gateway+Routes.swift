import AuthorizationServer
import ForwardAuth
import GatewayConfiguration
import GatewayCore
import GatewayDialects
import GatewayHTTP
import GatewayPages
import HTTPMessages
import HTTPServer
import SignInBridge

extension Gateway {
    static func router(
        services: GatewayServices, dialects: [any GatewayDialect], readiness: Readiness,
        certificates: CertificateReloader?
    ) throws(GatewayError) -> Router {
        let settings = services.settings
        var dialects = dialects
        if let bridge = services.bridge { dialects.append(BridgeRoutes(services: services, bridge: bridge)) }
        if settings.verify.isEnabled {
            // With another audience the tokens of Time Tracker are for that server only.
            let isAudience = settings.timeTracker.audience == nil
            dialects.append(ForwardAuthRoutes(services: services, acceptsSignedTokens: isAudience))
        }
        if settings.pages.isEnabled { dialects.append(PageRoutes(services: services)) }
        if let routes = OAuthRoutes(services: services, dialects: dialects.compactMap { $0 as? any DeviceDialect }) {
            dialects.append(routes)
        }
        return try DialectRouter.router(
            dialects, bans: BanCheck(services), check: services.hostCheck,
            sites: services.siteCheck, callers: services.unknownCallers,
            proofs: services.proofs, pages: dialects.first { $0 is PageRoutes }
        ) { router in
            for tokens in tokens(services) { tokens.add(to: &router) }
            ServiceRoutes(
                database: services.database, sessions: services.sessions, issuer: services.issuer,
                hasher: services.hasher, metrics: services.metrics, settings: settings.metrics, log: services.log,
                now: services.now, codes: services.codes, readiness: readiness,
                certificateSecondsLeft: { certificates?.secondsLeft }
            ).add(to: &router)
        } otherScope: {
            ServiceRoutes.hostScope(of: $0)
        }
    }

    /// Returns the token endpoints below the prefix of each dialect that has them. If tokens can be bound to keys, these
    /// are all dialects, because the metadata say so.
    private static func tokens(_ services: GatewayServices) -> [TokenRoutes] {
        let dialects = services.settings.enabledDialects
        let prefixes = dialects.filter { $0.hasTokenEndpoints || services.proofs != nil }
            .map { $0.prefix(in: services.settings) }
        let signed = dialects.first { $0.keysPath != nil }
        return prefixes.enumerated().filter { !prefixes.prefix($0.offset).contains($0.element) }.map {
            tokens(services, below: $0.element, signed)
        }
    }

    private static func tokens(
        _ services: GatewayServices, below prefix: String, _ signed: (any DialectSettings)?
    ) -> TokenRoutes {
        let settings = services.settings
        let clients = settings.introspectionClients.map { (ExactText($0.id), $0) }
        let signedPrefix = signed?.prefix(in: settings)
        return TokenRoutes(
            prefix: prefix, address: services.address,
            issuerAddress: services.address.configured.map { $0 + prefix },
            signedIssuerAddress: signedPrefix.flatMap { prefix in services.address.configured.map { $0 + prefix } },
            keysPath: signedPrefix == prefix ? signed?.keysPath : nil,
            allowsLoopbackRedirects: services.bridge != nil && settings.bridge.loopbackRedirects,
            proofAlgorithms: services.proofs == nil ? [] : ProofVerifier.algorithms,
            clients: Dictionary(clients) { first, _ in first },
            basicFields: Set(settings.introspectionClients.map(\.basicField)), issuer: services.issuer,
            limits: services.limits, proxies: settings.trustedProxies, audit: services.audit, log: services.log)
    }
}
