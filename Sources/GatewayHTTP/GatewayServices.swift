package import Database
package import FoundationEssentials
package import GatewayConfiguration
package import GatewayCore
package import SignInBridge

/// The services that the routes of all dialects use.
package struct GatewayServices: Sendable {
    package let settings: GatewaySettings
    package let database: Database
    package let people: PeopleStore
    package let sessions: SessionAdministration
    package let signingKeys: SigningKeyStore
    package let apiKeys: APIKeyStore
    package let clients: ClientStore
    package let bans: BanStore
    /// The sessions and tokens of clients. Nil when the authorization server is off.
    package let clientSessions: ClientSessionStore?
    /// The requests of devices without a browser. Nil when the authorization server is off.
    package let deviceRequests: DeviceRequestStore?
    /// The store of one-time codes. Nil when no sign-in needs one.
    package let codes: (any CodeStore)?
    /// The store of authorization requests that wait, except those that their browsers keep.
    package let waitingRequests: WaitingRequestStore
    /// The store of the ids of signed statements with which clients have authenticated. A statement is accepted once.
    package let clientAssertions: UsedIDs?
    /// The check of proofs of possession. Nil when the authorization server is off: tokens are not bound to keys then.
    package let proofs: ProofVerifier?
    package let hasher: PasswordHasher
    package let pins: PINStore
    package let elevations: ElevationStore
    package let issuer: any SessionIssuer
    package let attempts: SignInGuard
    /// The limits on requests of each caller.
    package let limits: RequestLimits
    package let signIn: PasswordSignIn
    package let registration: Registration
    package let metrics: Metrics
    package let audit: AuditLog
    package let log: Log
    /// Sign-in through identity providers. Nil when there are none.
    package let bridge: Bridge?
    /// The keys that seal data for browsers and bind forms to them. Nil when the settings need no keys.
    package let keys: BridgeKeys?
    /// The public address of this server.
    package let address: PublicAddress
    /// The cookies of browsers whose sign-in at a provider is in progress.
    let signInCookies: SignInCookies
    /// The cookie of signed-in browsers. Nil when browsers cannot sign in.
    package let cookie: SessionCookie?
    /// The forms that browsers have just sent.
    package let sentForms: SentForms
    package let now: @Sendable () -> Date

    /// The maximum time until a client's assertion expires.
    package static let maximumAssertionLifetime = Duration.seconds(3_600)

    /// The proxies that are trusted to name the client.
    package var proxies: TrustedProxies { settings.trustedProxies }

    /// The pages before and after a sign-in through an identity provider.
    package var redirectPages: RedirectPage { RedirectPage(settings) }

    /// The limit on addresses that send unreadable requests.
    package var unknownCallers: UnknownCallers {
        UnknownCallers(limits: limits, proxies: proxies, issuer: issuer, apiKeys: apiKeys, cookie: cookie)
    }

    /// The hosts that a browser may be redirected to after a sign-in.
    package var returnHosts: ReturnHosts {
        let verify = settings.verify
        return ReturnHosts(
            own: address.host, isSecure: address.isSecure, rules: verify.isEnabled ? verify.rules : AccessRules(),
            cookieDomain: verify.cookieDomain
        )
    }

    /// The check of the `Host` field.
    package var hostCheck: HostCheck { HostCheck(self) }

    /// The check of requests from pages of other origins.
    package var siteCheck: SiteCheck { SiteCheck(address) }

    package init(
        _ stores: GatewayStores, issuer: any SessionIssuer, attempts: SignInGuard, metrics: Metrics, bridge: Bridge?,
        keys: BridgeKeys?, codes: (any CodeStore)?
    ) {
        settings = stores.settings
        database = stores.database
        people = stores.people
        sessions = stores.sessions
        signingKeys = stores.signingKeys
        apiKeys = stores.apiKeys
        clients = stores.clients
        bans = stores.bans
        clientSessions = keys.flatMap { keys in
            let settings = stores.settings
            guard settings.authorizationServer.isEnabled else { return nil }
            return stores.clientSessions(keys, settings.authorizationServer.accessTokenLifetime, issuer)
        }
        deviceRequests = keys.flatMap { keys in
            guard stores.settings.authorizationServer.isEnabled else { return nil }
            return DeviceRequestStore(database: stores.database, key: keys.userCode, now: stores.now)
        }
        self.codes = codes
        waitingRequests = WaitingRequestStore(database: stores.database, now: stores.now)
        clientAssertions = codes.map {
            Self.usedIDs(
                .clientAssertions, stores, $0, lifetime: Self.maximumAssertionLifetime + ClockDifference.tolerated * 2)
        }
        address = PublicAddress(stores.settings.publicURL, isTLS: stores.settings.certificateFiles != nil)
        limits = RequestLimits(stores.settings.requestRates, metrics: metrics, now: stores.now)
        proofs = Self.proofs(stores, keys, codes, address, limits, metrics)
        hasher = stores.hasher
        pins = stores.pins
        elevations = stores.elevations
        self.issuer = issuer
        self.attempts = attempts
        signIn = PasswordSignIn(
            people: stores.people, hasher: stores.hasher, issuer: issuer, attempts: attempts,
            limits: limits, audit: stores.audit, log: stores.log)
        registration = Registration(people: stores.people, attempts: attempts, audit: stores.audit)
        self.metrics = metrics
        audit = stores.audit
        log = stores.log
        self.bridge = bridge
        self.keys = keys
        signInCookies = SignInCookies(isSecure: address.isSecure)
        cookie = bridge != nil || settings.pages.isEnabled ? SessionCookie(address, settings) : nil
        sentForms = SentForms(cookie: cookie, now: stores.now)
        now = stores.now
    }

    private static func proofs(
        _ stores: GatewayStores, _ keys: BridgeKeys?, _ codes: (any CodeStore)?, _ address: PublicAddress,
        _ limits: RequestLimits, _ metrics: Metrics
    ) -> ProofVerifier? {
        let settings = stores.settings.authorizationServer
        guard settings.isEnabled, let keys, let codes else { return nil }
        return ProofVerifier(
            used: usedIDs(.usedProofs, stores, codes, lifetime: ProofVerifier.tolerance * 2), address: address,
            nonces: settings.requiresProofNonces ? ProofNonces(key: keys.nonce) : nil, limits: limits,
            proxies: stores.settings.trustedProxies, metrics: metrics, now: stores.now)
    }

    private static func usedIDs(
        _ table: DatabaseCodeStore.Table, _ stores: GatewayStores, _ codes: any CodeStore, lifetime: Duration
    ) -> UsedIDs {
        let capacity = 2 * UsedIDs.capacity
        let store: any CodeStore =
            switch codes {
            case is MemoryCodeStore: MemoryCodeStore(capacity: capacity, now: stores.now)
            case is DatabaseCodeStore:
                DatabaseCodeStore(database: stores.database, table: table, capacity: 64 * capacity, now: stores.now)
            default: codes
            }
        return UsedIDs(store: store, lifetime: lifetime, now: stores.now)
    }
}
