import Crypto
public import HTTPServer
import Wire

/// Everything that `latchd` runs by: the gateway's own settings, and how it is reached.
///
/// A value of defaults is complete; ``ConfigurationReader`` changes it by a file and the environment, and
/// ``ConfigurationKey/all`` is the list of what can be changed.
public struct GatewayConfiguration: Sendable {
    /// What the gateway runs by. The database's path is set.
    public var settings: GatewaySettings
    /// Where the server listens and what it allows. The certificate is not read yet.
    public var server: HTTPServer.Configuration
    /// Where to listen as it was written; `server` has what it means.
    var listen = [ListenAddress(.tcp(host: "127.0.0.1", port: 2283))]
    var tlsPaths = TLSPaths()
    var redis = RedisDraft()
    var introspection = NamedDrafts(blank: IntrospectionDraft())
    var providers = NamedDrafts(blank: ProviderDraft())
    var access = NamedDrafts(blank: AccessDraft())
    /// What browsers are told about TLS; nil for nothing.
    var strictTransport: Duration?
    /// How long requests may still run once the daemon was told to stop.
    public var drain = Duration.seconds(10)

    /// Makes the defaults.
    ///
    /// - Parameter stateFolder: Where the database file goes.
    public init(stateFolder: String) {
        settings = GatewaySettings(databasePath: stateFolder + "/latchd.db")
        settings.hashing.threads = HTTPServer.Configuration.coreCount
        server = HTTPServer.Configuration(listeners: [])
        resolve()
    }
}

extension GatewayConfiguration {
    var databasePath: String {
        get { settings.databasePath ?? "" }
        set { settings.databasePath = newValue }
    }

    /// The longest wait before another sign-in, and the first one, hold for addresses and accounts alike.
    var firstLockOut: Duration {
        get { settings.accountLimit.firstLockOut }
        set { (settings.accountLimit.firstLockOut, settings.addressLimit.firstLockOut) = (newValue, newValue) }
    }

    var maximumLockOut: Duration {
        get { settings.accountLimit.maximumLockOut }
        set { (settings.accountLimit.maximumLockOut, settings.addressLimit.maximumLockOut) = (newValue, newValue) }
    }

    var addressRequests: Int {
        get { settings.requestRates.address.requests }
        set { settings.requestRates.address = .perMinute(newValue) }
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

    var connectionsPerAddress: Int {
        get { server.connectionsPerAddress ?? 512 }
        set { server.connectionsPerAddress = newValue }
    }

    var proxyNetworks: [IPNetwork] {
        get { settings.trustedProxies.networks }
        set { settings.trustedProxies = TrustedProxies(newValue) }
    }

    /// In bytes. The table's range is inside Argon2id's own.
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
            preconditionFailure("ConfigurationKey.all allows what Argon2id refuses")
        }
        settings.hashing.parameters = parameters
    }
}
