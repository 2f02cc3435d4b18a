import GatewayConfiguration
import Redis
package import SignInBridge

/// Opens the store of one-time codes that the settings name.
package enum CodeStores {
    /// Opens the store.
    ///
    /// - Parameter stores: The stores of the gateway, with the settings.
    /// - Returns: The store. Nil when no sign-in needs codes.
    /// - Throws: `RedisError` when no thread can be started for Redis.
    package static func open(_ stores: GatewayStores) throws -> (any CodeStore)? {
        let settings = stores.settings
        guard !settings.providers.isEmpty || settings.authorizationServer.isEnabled else { return nil }
        switch settings.codeStore {
        case .memory: return MemoryCodeStore(now: stores.now)
        case .database: return DatabaseCodeStore(database: stores.database, now: stores.now)
        case .redis:
            // The configuration is valid only with an address of Redis.
            guard let redis = settings.redis else { return MemoryCodeStore(now: stores.now) }
            return RedisCodeStore(try RedisClient(redis))
        }
    }
}
