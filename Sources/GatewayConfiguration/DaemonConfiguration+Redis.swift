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

/// The values of one introspection client while the configuration is read.
package struct IntrospectionDraft: Sendable {
    var secret: Secret?
    var fileSecret: Secret?
}

extension DaemonConfiguration {
    var redisURL: String? {
        get { redis.url }
        set { redis.url = newValue }
    }

    mutating func resolveRedis() {
        settings.redis = redis.settings(password: redis.password, allowsPlain: redis.allowsPlain)
    }

    mutating func resolveIntrospection() {
        settings.introspectionClients = introspection.all.compactMap { name, draft in
            (draft.secret ?? draft.fileSecret).flatMap { try? IntrospectionClient(id: name, secret: $0) }
        }
    }

    /// The mistakes in introspection clients, each with the key to report it at.
    var introspectionMistakes: [(key: String, problem: String, remedy: String)] {
        introspection.all.compactMap { name, draft in
            let path = "introspection.clients.\(name)"
            switch (draft.secret, draft.fileSecret) {
            case (.some, .some):
                return ("\(path).secret", "\(path) has a secret and a secret_file", "remove one of them")
            case (let secret?, nil) where secret.count < IntrospectionClient.minimumSecretBytes:
                return ("\(path).secret", Self.tooShort("\(path).secret"), Self.makeOne)
            case (nil, let secret?) where secret.count < IntrospectionClient.minimumSecretBytes:
                return ("\(path).secret_file", Self.tooShort("the secret in \(path).secret_file"), Self.makeOne)
            default: return nil
            }
        }
    }

    private static func tooShort(_ what: String) -> String {
        "\(what) is shorter than \(IntrospectionClient.minimumSecretBytes) bytes"
    }

    private static let makeOne = "generate one with: openssl rand -hex 32"
}
