import Crypto
import HTTPClient
import OpenIDConnect
import Redis

extension Bridge {
    /// Makes the bridge that the settings ask for.
    ///
    /// - Parameters:
    ///   - stores: The people, and the settings.
    ///   - issuer: What gives tokens out.
    ///   - codes: Where one-time codes wait; where the settings say by default.
    ///   - metrics: What sign-ins are counted in.
    /// - Returns: The bridge; nil when there is no identity provider.
    /// - Throws: ``GatewayError/Code/file`` when the key file cannot be used; `TransportError` when a provider's authorities
    ///   cannot be read; `RedisError` when no thread can be started for Redis.
    static func open(
        _ stores: GatewayStores, issuer: any SessionIssuer, codes: (any CodeStore)?, metrics: Metrics
    ) throws -> Bridge? {
        let settings = stores.settings
        guard !settings.providers.isEmpty else { return nil }
        let providers = try settings.providers.map { configuration in
            BridgeProvider(
                configuration: configuration,
                party: RelyingParty(configuration.settings, client: try client(of: configuration), now: stores.now),
                callbackPath: BridgeProviders.callbackPath(of: configuration, among: settings.providers.count))
        }
        return Bridge(
            BridgeProviders(all: providers), keys: BridgeKeys(try secret(settings)),
            codes: try codes ?? store(stores), stores: stores, issuer: issuer, metrics: metrics)
    }

    private static func store(_ stores: GatewayStores) throws -> any CodeStore {
        guard stores.settings.codes == .redis, let redis = stores.settings.redis else {
            return MemoryCodeStore(now: stores.now)
        }
        return RedisCodeStore(try RedisClient(redis))
    }

    /// The secret in the configured file, or in the one beside the database.
    private static func secret(_ settings: GatewaySettings) throws(GatewayError) -> Secret {
        if let path = settings.bridge.keyFile { return try BridgeKeyFile(path: path).secret() }
        guard let database = settings.databasePath else { return Secret.random(32) }
        let folder = database.lastIndex(of: "/").map { String(database[...$0]) } ?? ""
        return try BridgeKeyFile(path: folder + "bridge.key").secret()
    }

    /// What a provider is asked through.
    static func client(of provider: ProviderConfiguration) throws -> HTTPClient {
        guard let file = provider.authorityFile else { return try HTTPClient() }
        return try HTTPClient(HTTPClient.Configuration(authorities: .systemAnd(pemFile: file)))
    }
}
