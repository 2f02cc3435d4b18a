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
        let isNew = configuration.settings.database.isMissingFile
        DatabaseBackup.removeAbandonedCopies(of: configuration.settings.database)
        guard let gateway = try await Self.open(configuration.settings) else { return .done }
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
            try Output.lines(
                await StartupSummary(
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
            await Self.stop(gateway, on: server, upkeep: upkeep, configuration)
            if !(error is CancellationError) { throw error }
        }
        return .done
    }

    /// Opens the gateway. While the database does not respond, has no free connection or is locked, tries again each
    /// second. Logs the reason when it changes, and otherwise once a minute. Nil when the task was cancelled meanwhile.
    private static func open(_ settings: GatewaySettings) async throws -> Gateway? {
        var log: Log?
        var lastReason: (text: String, loggedAt: ContinuousClock.Instant)?
        while true {
            do {
                let gateway = try await Gateway.open(settings)
                log?.info("The database responds.")
                return gateway
            } catch let error as DatabaseError where [.unavailable, .locked, .interrupted].contains(error.code) {
                if lastReason.map({ $0.text != error.message || $0.loggedAt.duration(to: .now) > .seconds(60) }) ?? true
                {
                    log =
                        log
                        ?? Log(
                            level: settings.logLevel, format: settings.logFormat, writer: .standardError(),
                            now: { Date() })
                    log?.error("Waiting for the database.", ["error": .text(error.message)])
                    lastReason = (error.message, .now)
                }
                do { try await Task.sleep(for: .seconds(1)) } catch { return nil }
            }
        }
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
        _ gateway: Gateway, on server: HTTPServer, upkeep: Task<Void, any Error>, _ configuration: DaemonConfiguration
    ) async {
        let delay = gateway.drain() ? configuration.shutdownDelay : .zero
        if delay > .zero {
            gateway.stores.log.info(
                "Stopping: requests are accepted until load balancers have noticed.", ["milliseconds": .duration(delay)]
            )
        } else {
            gateway.stores.log.info("Stopping: completing the running requests.")
        }
        await server.stop(after: delay, drain: configuration.drain)
        upkeep.cancel()
        _ = await upkeep.result
        gateway.stores.log.info("Stopped.")
        await gateway.close()
    }
}
