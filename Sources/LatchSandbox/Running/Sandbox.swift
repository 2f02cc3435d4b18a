import Crypto
package import HTTPMessages
import HTTPServer
import LatchGateway

/// A complete environment on this machine for trying things out: an identity provider, and for each dialect a gateway
/// that uses it, in one process and one temporary folder.
///
/// All people are fictional and all passwords are public, so it listens on loopback addresses only.
package final class Sandbox: Sendable {
    /// The configuration of a sandbox.
    package struct Configuration: Sendable {
        /// The address of all servers. It must be a loopback address. Default: `127.0.0.1`.
        package var host = "127.0.0.1"
        /// The ports by name: `issuer` and the names in ``Sandbox/dialects``. The system chooses the ports that are not
        /// set.
        package var ports: [String: UInt16] = [:]
        /// Additional clients of the provider, such as a gateway under development.
        package var clients: [RegisteredClient] = []
        /// Whether the gateways write their complete log to standard error instead of warnings only. Default: false.
        package var isVerbose = false

        /// Creates a configuration; see the properties for defaults.
        package init() {}
    }

    /// The names of the available dialects.
    package static var dialects: [String] { SandboxDialect.all.map(\.name) }

    /// The identity provider.
    package let provider: DevelopmentProvider
    /// All people with an account at the provider or a gateway.
    package let people = SandboxPerson.all
    /// The path of the temporary folder with the databases. ``close()`` removes it.
    package var folder: String { temporary.path }
    private let temporary: TemporaryFolder
    private let servers: [SandboxServer]

    private init(provider: DevelopmentProvider, temporary: TemporaryFolder, servers: [SandboxServer]) {
        self.provider = provider
        self.temporary = temporary
        self.servers = servers
    }

    /// Starts all servers and returns when they accept requests.
    ///
    /// - Returns: The sandbox, which runs until ``close()``.
    /// - Throws: ``SandboxError``; `HTTPServerError` when a server cannot listen on its port. In that case everything
    ///   is removed again.
    package static func open(_ configuration: Configuration = Configuration()) async throws -> Sandbox {
        try Loopback.check(configuration.host)
        for name in configuration.ports.keys where name != issuer && !dialects.contains(name) {
            throw SandboxError(
                .invalidPort,
                "There is no server '\(name)' in the sandbox; set ports for \(portNames.joined(separator: ", ")).")
        }
        let temporary = try TemporaryFolder(named: "latchd-sandbox")
        var provider: DevelopmentProvider?
        var servers: [SandboxServer] = []
        do {
            try PictureLibrary.make(in: temporary.file(pictures))
            let started = try await startProvider(configuration)
            provider = started
            let secret = SandboxProvider.makeSecret()
            for dialect in SandboxDialect.all {
                let settings = settings(
                    of: dialect, configuration, in: temporary, issuer: started.issuer, secret: secret)
                servers.append(
                    try await .start(
                        dialect, settings, host: configuration.host, port: configuration.ports[dialect.name] ?? 0))
            }
            let apps = SandboxDialect.all.flatMap(\.apps)
            for client in configuration.clients + apps + clients(of: servers, secret: secret) {
                started.register(client)
            }
            return Sandbox(provider: started, temporary: temporary, servers: servers)
        } catch {
            await end(servers, provider, removing: temporary)
            throw error
        }
    }

    /// The names for which ports can be set.
    package static var portNames: [String] { [issuer] + dialects }

    /// The client id of the sandbox's gateways at the provider. No other client has this id.
    package static var clientID: String { SandboxProvider.clientID }

    /// Returns the URL of a dialect's gateway. Nil for a name that is not in ``dialects``.
    package func url(of dialect: String) -> String? {
        servers.first { $0.dialect.name == dialect }?.url
    }

    /// Returns the URL of the account page, which lists the devices, on a dialect's gateway. Nil for a name that is not
    /// in ``dialects``.
    package func account(on dialect: String) -> String? {
        url(of: dialect).map { $0 + "/latch/account" }
    }

    /// The URL of a demonstration backend that requires sign-in.
    package var protected: String {
        servers.first { $0.dialect.hasBackend }.map { $0.url + SandboxBackend.path } ?? ""
    }

    /// Stops all servers and removes the folder.
    package func close() async {
        await Self.end(servers, provider, removing: temporary)
    }

    /// The URLs, and the people who can sign in everywhere, as JSON for programs.
    package var json: JSONValue {
        var members = servers.map { JSONValue.Member($0.dialect.name, ["url": .string($0.url)]) }
        members.append(.init("protected", ["url": .string(protected)]))
        members.append(.init(Self.issuer, ["url": .string(provider.issuer)]))
        let users = people.filter { $0.place == .everywhere }
        members.append(
            .init(
                "users",
                .array(users.map { ["email": .string($0.email), "password": .string($0.password)] })))
        return .object(members)
    }

    private static let issuer = "issuer"

    private static func end(
        _ servers: [SandboxServer], _ provider: DevelopmentProvider?, removing temporary: TemporaryFolder
    ) async {
        for server in servers { await server.stop() }
        await provider?.stop()
        temporary.remove()
    }
}
