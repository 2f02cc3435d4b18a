import Crypto
import GatewayCore
import HTTPMessages
package import HTTPServer

/// The whole configuration of `latchd`: the settings of the gateway, and how clients reach it.
///
/// The initial value has all defaults. ``ConfigurationReader`` changes it according to a file and the environment.
/// ``ConfigurationKey/all(for:)`` lists the values that can be changed.
package struct DaemonConfiguration: Sendable {
    /// The settings of the gateway. They include the path of the database.
    package var settings: GatewaySettings
    /// The addresses that the server listens on, and its limits. The certificate has not been read yet.
    package var server: HTTPServer.Configuration
    /// The listen addresses as written. `server` contains the resulting listeners.
    package var listen = [ListenAddress(.tcp(host: "127.0.0.1", port: 2283))]
    var tlsPaths = TLSPaths()
    package var redis = RedisDraft()
    package var introspection = NamedDrafts(blank: ClientSecretDraft())
    package var oauthClients = NamedDrafts(blank: OAuthClientDraft())
    package var registration = ClientSecretDraft()
    package var providers = NamedDrafts(blank: ProviderDraft())
    package var access = NamedDrafts(blank: AccessDraft())
    /// The duration of the `Strict-Transport-Security` field. Nil, the default, to send no such field.
    package var strictTransport: Duration?
    /// How long the daemon still accepts requests after it is asked to stop, if load balancers ask whether it is ready.
    /// Default: 3 seconds.
    package var shutdownDelay = Duration.seconds(3)
    /// The maximum time that requests may still run after that. Default: 10 seconds.
    package var drain = Duration.seconds(10)

    /// Makes a configuration with all defaults.
    ///
    /// - Parameters:
    ///   - stateFolder: The folder of the database file.
    ///   - dialects: The default settings of all dialects that can be served.
    package init(stateFolder: String, dialects: [any DialectSettings]) {
        settings = GatewaySettings(databasePath: stateFolder + "/latchd.db", dialects: dialects)
        settings.hashing.threads = HTTPServer.Configuration.coreCount
        server = HTTPServer.Configuration(listeners: [])
        resolve()
    }
}

extension DaemonConfiguration {
    /// The duration of the first lock-out. It applies to addresses and accounts alike, as does the maximum.
    package var firstLockOut: Duration {
        get { settings.accountLimit.firstLockOut }
        set { (settings.accountLimit.firstLockOut, settings.addressLimit.firstLockOut) = (newValue, newValue) }
    }

    package var maximumLockOut: Duration {
        get { settings.accountLimit.maximumLockOut }
        set { (settings.accountLimit.maximumLockOut, settings.addressLimit.maximumLockOut) = (newValue, newValue) }
    }

    var addressRequests: Int {
        get { settings.requestRates.address.requests }
        set { settings.requestRates.address = .perMinute(newValue) }
    }

    var clientRequests: Int {
        get { settings.requestRates.client.requests }
        set { settings.requestRates.client = .perMinute(newValue) }
    }

    var credentialRequests: Int {
        get { settings.requestRates.credentials.requests }
        set { settings.requestRates.credentials = .perMinute(newValue) }
    }

    var generalRequests: Int {
        get { settings.requestRates.general.requests }
        set { settings.requestRates.general = .perMinute(newValue) }
    }

    var writeRequests: Int {
        get { settings.requestRates.writes.requests }
        set { settings.requestRates.writes = .perMinute(newValue) }
    }

    var signIns: Int {
        get { settings.requestRates.signIns.requests }
        set { settings.requestRates.signIns = .perMinute(newValue) }
    }

    package var connectionsPerAddress: Int {
        get { server.connectionsPerAddress ?? 512 }
        set { server.connectionsPerAddress = newValue }
    }

    var proxyNetworks: [IPNetwork] {
        get { settings.trustedProxies.networks }
        set { settings.trustedProxies = TrustedProxies(newValue) }
    }

    /// The memory for one hash, in bytes. The range of the key is within that of Argon2id.
    var hashingMemory: Int {
        get { settings.hashing.parameters.memoryKiB * 1024 }
        set { setHashing(memoryKiB: newValue / 1024, iterations: settings.hashing.parameters.iterations) }
    }

    var hashingIterations: Int {
        get { settings.hashing.parameters.iterations }
        set { setHashing(memoryKiB: settings.hashing.parameters.memoryKiB, iterations: newValue) }
    }

    private mutating func setHashing(memoryKiB: Int, iterations: Int) {
        guard let parameters = try? Argon2idParameters(memoryKiB: memoryKiB, iterations: iterations) else {
            preconditionFailure("The range of passwords.argon2_memory or argon2_iterations exceeds Argon2id's")
        }
        settings.hashing.parameters = parameters
    }
}
