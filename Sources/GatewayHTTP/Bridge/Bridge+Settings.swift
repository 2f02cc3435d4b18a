import GatewayConfiguration
package import GatewayCore
package import HTTPClient
import OpenIDConnect
package import SignInBridge

extension Bridge {
    /// Makes the bridge that the settings describe.
    ///
    /// - Parameters:
    ///   - stores: The stores of people and sessions, with the settings.
    ///   - keys: The keys of the bridge.
    ///   - issuer: The issuer of session tokens.
    ///   - codes: The store of one-time codes.
    ///   - metrics: The metrics that count sign-ins.
    /// - Returns: The bridge; nil when there is no identity provider.
    /// - Throws: `TransportError` when a provider's authorities cannot be read.
    package static func open(
        _ stores: GatewayStores, keys: BridgeKeys?, issuer: any SessionIssuer, codes: any CodeStore, metrics: Metrics
    ) throws -> Bridge? {
        let settings = stores.settings
        guard !settings.providers.isEmpty, let keys else { return nil }
        let providers = try settings.providers.map { configuration in
            BridgeProvider(
                configuration: configuration,
                party: RelyingParty(configuration.settings, client: try client(of: configuration), now: stores.now),
                callbackPath: BridgeProviders.callbackPath(of: configuration, among: settings.providers.count))
        }
        let redirects = settings.bridge.redirects + settings.enabledDialects.flatMap { $0.redirects(in: settings) }
        return Bridge(
            BridgeProviders(all: providers),
            redirects: AllowedRedirects(redirects, anyLoopbackPort: settings.bridge.loopbackRedirects), keys: keys,
            codes: codes, starts: WaitingRequestStore(database: stores.database, now: stores.now),
            codeLifetime: settings.bridge.codeLifetime, people: stores.people, sessions: stores.sessions,
            issuer: issuer, enforcesPasswordChange: settings.passwordsEnabled,
            metrics: metrics, audit: stores.audit, log: stores.log, now: stores.now)
    }

    /// Returns a client for requests to a provider. It trusts the authorities of the provider's configuration as well
    /// as the system's.
    package static func client(of provider: ProviderConfiguration) throws -> HTTPClient {
        guard let file = provider.authorityFile else { return try HTTPClient() }
        return try HTTPClient(HTTPClient.Configuration(authorities: .systemAnd(pemFile: file)))
    }
}
