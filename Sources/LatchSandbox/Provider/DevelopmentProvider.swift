import FoundationEssentials
import HTTPMessages
import HTTPServer
import JOSE

/// An OpenID provider for development, with the real protocol and fictional people, on this machine only.
///
/// It supports the code flow with PKCE, the response modes `query` and `form_post`, `iss` in the authorization
/// response, UserInfo, and signatures with RS256, PS256, ES256 and EdDSA. Testers can select a ``Fault`` on the sign-in
/// page. All state is in memory: each process has new keys, and nothing is stored.
///
/// Source: OpenID Connect Core 1.0; OpenID Connect Discovery 1.0; RFC 7636; RFC 9207.
package final class DevelopmentProvider: Sendable {
    /// The issuer: `http://` with the address and port. Its metadata is at `/.well-known/openid-configuration`.
    package let issuer: String
    /// The people who can sign in.
    package var people: [ProviderPerson] { configuration.people }
    private let configuration: Configuration
    private let server: HTTPServer
    private let grants: Grants

    private init(issuer: String, configuration: Configuration, server: HTTPServer, grants: Grants) {
        self.issuer = issuer
        self.configuration = configuration
        self.server = server
        self.grants = grants
    }

    /// Generates the keys, unless the process already has them, and serves until ``stop()``.
    ///
    /// - Throws: ``SandboxError/Code/notLoopback`` for an address that other machines can reach,
    ///   ``SandboxError/Code/keys``; `HTTPServerError` when the server cannot listen on the address.
    package static func start(_ configuration: Configuration) async throws -> DevelopmentProvider {
        try Loopback.check(configuration.host)
        let grants = Grants(configuration)
        let issuer = Issuer()
        let routes = ProviderRoutes(
            issuerAddress: issuer, configuration: configuration, keys: try ProviderKeys(configuration.algorithms),
            grants: grants)
        var router = Router()
        routes.add(to: &router)
        let server = try await HTTPServer.start(
            .init(listeners: [.tcp(host: configuration.host, port: configuration.port)], loops: 1), router: router)
        issuer.set("http://" + server.addresses.map(\.description).joined())
        return DevelopmentProvider(issuer: issuer.url, configuration: configuration, server: server, grants: grants)
    }

    /// Registers a client. It replaces a client with the same id.
    package func register(_ client: RegisteredClient) {
        grants.register(client)
    }

    /// Stops listening and closes all connections.
    package func stop() async {
        await server.stop(drain: .zero)
    }
}
