import FoundationEssentials
import HTTPServer
import JOSE
import Wire

/// An OpenID provider for development: real protocol, made-up people, on this machine only.
///
/// It speaks the code flow with PKCE, `query` and `form_post`, `iss` in the answer, UserInfo, and signs by RS256, PS256,
/// ES256 or EdDSA. The sign-in page also lets a tester choose a ``Fault``. Everything is in memory: keys are new in
/// each process, and nothing is left behind.
///
/// Source: OpenID Connect Core 1.0; OpenID Connect Discovery 1.0; RFC 7636; RFC 9207.
public final class DevelopmentProvider: Sendable {
    /// The issuer, `http://` with the address and port; its metadata is below `/.well-known/openid-configuration`.
    public let issuer: String
    /// Who can sign in.
    public var people: [ProviderPerson] { configuration.people }
    private let configuration: Configuration
    private let server: HTTPServer
    private let grants: Grants

    private init(_ issuer: String, _ configuration: Configuration, _ server: HTTPServer, _ grants: Grants) {
        self.issuer = issuer
        self.configuration = configuration
        self.server = server
        self.grants = grants
    }

    /// Makes the keys, unless another provider of the process did, listens and serves until ``stop()``.
    ///
    /// - Throws: ``SandboxError/Code/notLoopback`` for an address that others reach, ``SandboxError/Code/keys``;
    ///   `HTTPServerError` when the address cannot be had.
    public static func start(_ configuration: Configuration) async throws -> DevelopmentProvider {
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
        issuer.becomes("http://" + server.addresses.map(\.description).joined())
        return DevelopmentProvider(issuer.url, configuration, server, grants)
    }

    /// Serves a client from now on, in place of one with the same id.
    public func register(_ client: RegisteredClient) {
        grants.register(client)
    }

    /// Closes every connection and stops to listen.
    public func stop() async {
        await server.stop(drain: .zero)
    }
}
