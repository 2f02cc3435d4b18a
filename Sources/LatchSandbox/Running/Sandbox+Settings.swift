import Crypto
import GatewayConfiguration
import GatewayCore
import GatewayDialects
import LatchGateway
import OpenIDConnect
import SignInBridge

extension Sandbox {
    /// The folder of the picture library.
    static let pictures = "pictures"

    static func startProvider(_ configuration: Configuration) async throws -> DevelopmentProvider {
        var provider = DevelopmentProvider.Configuration(
            people: SandboxPerson.all.map {
                ProviderPerson(email: $0.email, password: $0.password, name: $0.name, groups: $0.groups)
            })
        provider.host = configuration.host
        provider.port = configuration.ports["issuer"] ?? 0
        provider.responseDelay = SandboxProvider.timeout + .seconds(5)
        return try await DevelopmentProvider.start(provider)
    }

    /// Returns the clients for the gateways. Those with a secret share one client. Each client has redirect URIs with
    /// all names of this machine that a browser may use.
    static func clients(of servers: [SandboxServer], secret: Secret) -> [RegisteredClient] {
        let confidential = servers.filter { $0.dialect.publicClient == nil }.flatMap(redirects)
        let one = RegisteredClient(
            id: SandboxProvider.clientID, secret: secret, name: "the sandbox's gateway", redirects: confidential)
        return [one]
            + servers.compactMap { server in
                server.dialect.publicClient.map { client in
                    RegisteredClient(
                        id: client.id, secret: nil, name: "the sandbox's gateway",
                        redirects: redirects(of: server) + client.redirects)
                }
            }
    }

    private static func redirects(of server: SandboxServer) -> [String] {
        let port = server.url.split(separator: ":").last.map(String.init) ?? ""
        return [server.url, "http://localhost:\(port)"].flatMap { base in
            server.dialect.callbacks.map { base + $0 }
        }
    }

    /// Returns the settings of a dialect's gateway. Password hashing is cheap, because all passwords are public.
    static func settings(
        of dialect: SandboxDialect, _ configuration: Configuration, in folder: TemporaryFolder, issuer: String,
        secret: Secret
    ) -> GatewaySettings {
        var settings = GatewaySettings(databasePath: folder.file("\(dialect.name).db"))
        settings.logLevel = configuration.isVerbose ? .debug : .warning
        settings.onyx.isEnabled = false
        settings.immich.library = folder.file(pictures)
        dialect.enable(&settings)
        if let cheap = try? Argon2idParameters(memoryKiB: 8192, iterations: 1) { settings.hashing.parameters = cheap }
        settings.providers = [
            dialect.publicClient.map { SandboxProvider.configuration(issuer: issuer, clientID: $0.id, secret: nil) }
                ?? SandboxProvider.configuration(issuer: issuer, secret: secret)
        ]
        if dialect.hasBackend { settings.providers[0].settings.groupsClaim = "groups" }
        settings.bridge.loopbackRedirects = true
        settings.pages.isEnabled = true
        settings.pages.title = "Sandbox, \(dialect.title)"
        return settings
    }
}
