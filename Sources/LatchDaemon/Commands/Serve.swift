import CommandLineTool
import Database
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPServer
import LatchGateway
import Terminal

/// `latchd serve`: runs the gateway until a signal ends it.
struct Serve: Reloading {
    let configurationPath: String?

    func perform(_ environment: [String: String], hangUps: AsyncStream<Void>) async throws -> ExitCode {
        let file = try ConfigurationFile(path: configurationPath, environment: environment)
        var configuration = file.configuration
        for warning in file.warnings { StandardOutput.printMessage("latchd: Warning: \(warning)") }
        let isNew = configuration.settings.database.path.map { !FileManager.default.fileExists(atPath: $0) } ?? false
        let gateway = try await Gateway.open(configuration.settings)
        let log = gateway.stores.log
        configuration.server.credentials = gateway.certificates?.credentials
        let server: HTTPServer
        do {
            server = try await HTTPServer.start(
                configuration.server, router: gateway.router, onAccess: { gateway.logAccess($0) },
                onLog: { gateway.logServerEvent($0) })
        } catch {
            await gateway.close()
            throw error
        }
        let upkeep = Task { try await gateway.run() }
        let reloading = Task { await Self.reload(gateway, at: hangUps) }
        defer { reloading.cancel() }
        do {
            try await Output.lines(
                StartupSummary(
                    file: file, namedFile: configurationPath, environment: environment, addresses: server.addresses,
                    isNew: isNew, stores: gateway.stores,
                    certificate: gateway.certificates?.certificate
                ).lines())
            log.info(
                "Listening.",
                [
                    "addresses": .text(server.addresses.map(\.description).joined(separator: " ")),
                    "connections": .number(server.connectionLimit), "descriptors": .number(server.descriptorLimit),
                ])
            try await Self.untilCancelled()
        } catch {
            await Self.stop(gateway, on: server, upkeep: upkeep, drain: configuration.drain)
            if !(error is CancellationError) { throw error }
        }
        return .done
    }

    private static func untilCancelled() async throws {
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    private static func reload(_ gateway: Gateway, at hangUps: AsyncStream<Void>) async {
        for await _ in hangUps {
            if let certificates = gateway.certificates {
                certificates.reload()
            } else {
                gateway.stores.log.info("SIGHUP has no effect because no certificate is configured.")
            }
        }
    }

    private static func stop(
        _ gateway: Gateway, on server: HTTPServer, upkeep: Task<Void, any Error>, drain: Duration
    ) async {
        gateway.stores.log.info("Stopping: completing the running requests.")
        gateway.drain()
        await server.stop(drain: drain)
        upkeep.cancel()
        _ = await upkeep.result
        gateway.stores.log.info("Stopped.")
        await gateway.close()
    }
}
