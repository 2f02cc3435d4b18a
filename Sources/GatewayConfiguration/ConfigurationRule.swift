import GatewayCore
import HTTPMessages
import HTTPServer
import SignInBridge

/// A rule between values that are each valid on their own.
package struct ConfigurationRule: Sendable {
    /// The keys of the rule. A mistake is reported at the first of them that is set.
    package let keys: [String]
    package let problem: String
    package let remedy: String
    package let isSatisfied: @Sendable (DaemonConfiguration) -> Bool

    /// Creates a rule between the values of some keys.
    package init(
        keys: [String], problem: String, remedy: String, isSatisfied: @escaping @Sendable (DaemonConfiguration) -> Bool
    ) {
        self.keys = keys
        self.problem = problem
        self.remedy = remedy
        self.isSatisfied = isSatisfied
    }

    /// The rules between the values of the gateway itself.
    package static let general = [
        ConfigurationRule(
            keys: ["sessions.lifetime", "sessions.maximum"],
            problem: "sessions.lifetime is longer than sessions.maximum",
            remedy: "shorten the first or lengthen the second"
        ) { $0.settings.sessions.sliding <= $0.settings.sessions.maximum },
        ConfigurationRule(
            keys: ["passwords.minimum_length", "passwords.maximum_length"],
            problem: "passwords.minimum_length is greater than passwords.maximum_length",
            remedy: "swap them or change one"
        ) { $0.settings.passwords.minimumLength <= $0.settings.passwords.maximumLength },
        ConfigurationRule(
            keys: ["guards.lockout_first", "guards.lockout_maximum"],
            problem: "guards.lockout_first is longer than guards.lockout_maximum",
            remedy: "shorten the first or lengthen the second"
        ) { $0.firstLockOut <= $0.maximumLockOut },
        ConfigurationRule(
            keys: ["listen"], problem: "listen contains an address twice", remedy: "remove one"
        ) { configuration in
            let fixed = configuration.listen.map(\.plain).filter { listener in
                if case .tcp(_, 0) = listener { false } else { true }
            }
            return Set(fixed).count == fixed.count
        },
        ConfigurationRule(
            keys: ["audit_log", "database"], problem: "audit_log and database are the same file",
            remedy: "use a different file for the audit log"
        ) { $0.settings.auditPath == nil || $0.settings.auditPath != $0.settings.database.path },
        ConfigurationRule(
            keys: ["database", "bridge.key_file"],
            problem: "database is a server, but the gateways have no common bridge.key_file",
            remedy: "set bridge.key_file to a file that you create once and copy to every gateway"
        ) { $0.settings.database.path != nil || $0.settings.bridge.keyFile != nil },
        ConfigurationRule(
            keys: ["tls.certificate", "tls.key"], problem: "tls.certificate and tls.key are not both set",
            remedy: "set both, or neither"
        ) { ($0.certificatePath == nil) == ($0.keyPath == nil) },
        ConfigurationRule(
            keys: ["listen", "tls.certificate"], problem: "listen has an https:// address, but there is no certificate",
            remedy: "set tls.certificate and tls.key"
        ) { !$0.speaksTLS || $0.certificatePath != nil },
        ConfigurationRule(
            keys: ["tls.certificate", "listen"], problem: "tls.certificate is set, but no address in listen uses TLS",
            remedy: "listen on an address without http://, or remove tls.certificate and tls.key"
        ) { $0.certificatePath == nil || $0.speaksTLS || $0.isPlainOnTheNetwork },
        ConfigurationRule(
            keys: ["listen", "trusted_proxies", "tls.certificate"],
            problem: "listen would serve plain HTTP, including passwords, to the network",
            remedy: "set tls.certificate and tls.key, or add the reverse proxy to trusted_proxies, "
                + "or listen on 127.0.0.1"
        ) { !$0.isPlainOnTheNetwork || $0.certificatePath != nil },
        ConfigurationRule(
            keys: ["listen", "trusted_proxies"],
            problem: "listen would serve plain HTTP, including passwords, to the network in addition to TLS",
            remedy: "remove http://, or add the reverse proxy to trusted_proxies"
        ) { !$0.isPlainOnTheNetwork || $0.certificatePath == nil },
        ConfigurationRule(
            keys: ["redis.url"], problem: "redis.url is not valid",
            remedy: "write redis://HOST:PORT/DATABASE or unix:/PATH?db=DATABASE, and a password in redis.password_file"
        ) { $0.redis.isReadable },
        ConfigurationRule(
            keys: ["redis.url", "redis.password_file"], problem: "redis.url has a user, but there is no password",
            remedy: "set redis.password_file"
        ) { $0.redis.hasPasswordForUser },
        ConfigurationRule(
            keys: ["redis.url", "redis.allow_plain"],
            problem: "redis.url is on another machine, but the connection is not encrypted",
            remedy: "use a tunnel on this machine, or set redis.allow_plain to true"
        ) { $0.redis.isAllowedThere },
        ConfigurationRule(
            keys: ["bridge.codes"], problem: "bridge.codes is redis, but redis.url is not set", remedy: "set redis.url"
        ) { $0.settings.codeStore != .redis || $0.redis.url != nil },
        ConfigurationRule(
            keys: ["oauth.enabled", "public_url"],
            problem: "oauth.enabled is true, but public_url is not set to an https address",
            remedy: "set public_url to the address at which apps reach this server; http is allowed for 127.0.0.1, "
                + "[::1] and localhost"
        ) { !$0.settings.authorizationServer.isEnabled || $0.hasIssuer },
        ConfigurationRule(
            keys: ["public_url", "pages.enabled"], problem: "public_url has a path, but pages.enabled is true",
            remedy: "give this server a host name of its own and remove the path, or set pages.enabled to false"
        ) { !$0.settings.pages.isEnabled || !$0.settings.publicURLHasPath },
        ConfigurationRule(
            keys: ["oauth.enabled", "pages.enabled"], problem: "oauth.enabled is true, but pages.enabled is false",
            remedy: "set pages.enabled to true: people sign in and allow clients on the pages"
        ) { !$0.settings.authorizationServer.isEnabled || $0.settings.pages.isEnabled },
        ConfigurationRule(
            keys: ["oauth.registration.enabled", "oauth.enabled"],
            problem: "oauth.registration.enabled is true, but oauth.enabled is false",
            remedy: "set oauth.enabled to true, or oauth.registration.enabled to false"
        ) { configuration in
            let settings = configuration.settings.authorizationServer
            return !settings.registration.isEnabled || settings.isEnabled
        },
        ConfigurationRule(
            keys: ["trusted_proxies"], problem: "trusted_proxies contains every address",
            remedy: "write the reverse proxy's own address or network"
        ) { configuration in !configuration.proxyNetworks.contains { $0.prefixLength == 0 } },
        ConfigurationRule(
            keys: ["tls.hsts"], problem: "tls.hsts is set, but no response could contain it",
            remedy: "set tls.certificate and tls.key, or add the reverse proxy that provides TLS to trusted_proxies"
        ) { configuration in
            let hasSocket = configuration.server.listeners.contains { if case .unix = $0 { true } else { false } }
            return configuration.strictTransport == nil || configuration.speaksTLS || hasSocket
                || !configuration.proxyNetworks.isEmpty
        },
    ]
}
