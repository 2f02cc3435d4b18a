import Crypto
import Redis

/// The values for Redis while the configuration is read.
package struct RedisDraft: Sendable {
    var url: String?
    var password: Secret?
    var allowsPlain = false

    /// Returns the settings. Nil when they cannot be used. With a password and plain text allowed, only the form of the
    /// URL matters.
    func settings(password: Secret?, allowsPlain: Bool) -> RedisSettings? {
        url.flatMap { try? RedisSettings(url: $0, password: password, allowsPlainText: allowsPlain) }
    }

    /// Whether the URL can be parsed, with any host.
    var isReadable: Bool { url == nil || settings(password: Secret("x"), allowsPlain: true) != nil }
    /// Whether Redis is on this machine, or may be on another one.
    var isAllowedThere: Bool {
        !isReadable || url == nil || settings(password: Secret("x"), allowsPlain: allowsPlain) != nil
    }
    /// Whether a URL with a user has a password too.
    var hasPasswordForUser: Bool {
        !isReadable || url == nil || settings(password: password, allowsPlain: true) != nil
    }
}

extension DaemonConfiguration {
    var redisURL: String? {
        get { redis.url }
        set { redis.url = newValue }
    }

    mutating func resolveRedis() {
        settings.redis = redis.settings(password: redis.password, allowsPlain: redis.allowsPlain)
    }
}
