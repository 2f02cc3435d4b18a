import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPServer
import LatchGateway

/// A gateway for one dialect with its people, on its own port, in this process.
final class SandboxServer: Sendable {
    let dialect: SandboxDialect
    let url: String
    private let gateway: Gateway
    private let server: HTTPServer
    private let backend: SandboxBackend?
    private let upkeep: Task<Void, any Error>

    private init(
        dialect: SandboxDialect, url: String, gateway: Gateway, server: HTTPServer, backend: SandboxBackend?
    ) {
        self.dialect = dialect
        self.url = url
        self.gateway = gateway
        self.server = server
        self.backend = backend
        upkeep = Task { try await gateway.run() }
    }

    /// Adds the people, opens the gateway and starts listening.
    static func start(
        _ dialect: SandboxDialect, _ settings: GatewaySettings, host: String, port: UInt16
    ) async throws -> SandboxServer {
        try await addPeople(settings)
        let gateway = try await Gateway.open(settings)
        var backend: SandboxBackend?
        do {
            try await gateway.readLibrary()
            var router = gateway.router
            if dialect.hasBackend {
                let made = try SandboxBackend()
                made.add(to: &router)
                backend = made
            }
            let server = try await HTTPServer.start(
                .init(listeners: [.tcp(host: host, port: port)], loops: 1), router: router,
                onAccess: { gateway.logAccess($0) }, onLog: { gateway.logServerEvent($0) })
            let address = server.addresses.first.map(\.description) ?? ""
            backend?.open(behind: "http://\(address)")
            return SandboxServer(
                dialect: dialect, url: "http://\(address)", gateway: gateway, server: server, backend: backend)
        } catch {
            await backend?.close()
            await gateway.close()
            throw error
        }
    }

    /// Adds the people before the gateway opens, without logging it.
    private static func addPeople(_ settings: GatewaySettings) async throws {
        var settings = settings
        settings.logLevel = .error
        let stores = try await GatewayStores.open(settings)
        do {
            for person in SandboxPerson.all where person.place != .provider {
                let added = try await stores.people.add(
                    email: person.email, name: person.name, isAdministrator: person.isAdministrator,
                    password: Secret(person.password))
                if person.place == .disabled { try await stores.people.disable(added.id) }
            }
        } catch {
            await stores.close()
            throw error
        }
        await stores.close()
    }

    func stop() async {
        gateway.drain()
        await server.stop(drain: .seconds(1))
        await backend?.close()
        upkeep.cancel()
        _ = await upkeep.result
        await gateway.close()
    }
}
