import Crypto
import HTTPServer
import LatchGateway
public import Wire

/// Everything at once on this machine, to try it: an identity provider, and for each dialect a gateway that signs people
/// in with it, in one process and one temporary folder.
///
/// Everybody is made up and every password is known, so it listens on loopback only.
public final class Sandbox: Sendable {
    /// Where the sandbox listens, and what it says.
    public struct Configuration: Sendable {
        /// The address of all of it; only a loopback one is taken.
        public var host = "127.0.0.1"
        /// The ports by name: `issuer`, and each of ``Sandbox/dialects``. The system chooses the others.
        public var ports: [String: UInt16] = [:]
        /// Who else may ask the provider, such as a gateway under development.
        public var clients: [RegisteredClient] = []
        /// Whether the gateways' log is written to standard error, besides warnings.
        public var isVerbose = false

        /// Makes a configuration; see the properties for defaults.
        public init() {}
    }

    /// The names of the dialects that are served.
    public static var dialects: [String] { SandboxDialect.all.map(\.name) }

    /// The provider.
    public let provider: DevelopmentProvider
    /// Everybody who is known somewhere in it.
    public let people = SandboxPerson.all
    /// The temporary folder with the databases; ``close()`` removes it.
    public var folder: String { temporary.path }
    private let temporary: TemporaryFolder
    private let servers: [SandboxServer]

    private init(_ provider: DevelopmentProvider, _ temporary: TemporaryFolder, _ servers: [SandboxServer]) {
        self.provider = provider
        self.temporary = temporary
        self.servers = servers
    }

    /// Starts all of it and returns when everything answers.
    ///
    /// - Returns: The sandbox, which runs until ``close()``.
    /// - Throws: ``SandboxError``; `HTTPServerError` when a port cannot be had. Nothing is left behind then.
    public static func open(_ configuration: Configuration = Configuration()) async throws -> Sandbox {
        try Loopback.check(configuration.host)
        for name in configuration.ports.keys where name != issuer && !dialects.contains(name) {
            throw SandboxError(
                .invalidPort,
                "There is no '\(name)' in the sandbox; ports are for \(portNames.joined(separator: ", ")).")
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
            return Sandbox(started, temporary, servers)
        } catch {
            await end(servers, provider, temporary)
            throw error
        }
    }

    /// What ports can be chosen for.
    public static var portNames: [String] { [issuer] + dialects }

    /// The sandbox's own gateways at the provider; no other client has this id.
    public static var clientID: String { SandboxProvider.clientID }

    /// The address of a dialect's gateway; nil for a name that is none of ``dialects``.
    public func url(of dialect: String) -> String? {
        servers.first { $0.dialect.name == dialect }?.url
    }

    /// The address where people see their devices on a dialect's gateway; nil for a name that is none of ``dialects``.
    public func account(on dialect: String) -> String? {
        url(of: dialect).map { $0 + "/latch/account" }
    }

    /// The address of a made-up backend that asks for a sign-in.
    public var protected: String {
        servers.first { $0.dialect.hasBackend }.map { $0.url + SandboxBackend.path } ?? ""
    }

    /// Stops everything and removes the folder.
    public func close() async {
        await Self.end(servers, provider, temporary)
    }

    /// The addresses, and who can sign in everywhere, for programs.
    public var json: JSONValue {
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
        _ servers: [SandboxServer], _ provider: DevelopmentProvider?, _ temporary: TemporaryFolder
    ) async {
        for server in servers { await server.stop() }
        await provider?.stop()
        temporary.remove()
    }
}
