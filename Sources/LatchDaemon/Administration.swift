import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import LatchGateway

/// Opens the stores of the configured database for the duration of a command. Every command except `serve` uses it.
///
/// Only the audit file, if there is one, records what a command does, because the log belongs to the running gateway.
struct Administration: Sendable {
    let configurationPath: String?
    let environment: [String: String]

    /// Opens the stores, runs `body` and closes them, even when `body` throws.
    ///
    /// - Parameters:
    ///   - createsFile: Whether an SQLite file that does not exist is created. Only for a command that adds something to
    ///     an empty database; for all others, the configured path is probably wrong.
    ///   - body: What to do with the stores.
    /// - Returns: The value of `body`.
    /// - Throws: The error of `body`; ``Failure`` when there is no file; errors of the configuration and the database.
    func withStores<Result: Sendable>(
        createsFile: Bool = false, _ body: (GatewayStores) async throws -> Result
    ) async throws -> Result {
        let configuration = try ConfigurationFile(path: configurationPath, environment: environment).configuration
        if !createsFile { try configuration.settings.database.requireFile(to: "open the database") }
        let stores = try await GatewayStores.open(configuration.settings, logWriter: LogWriter { _ in })
        do {
            let result = try await body(stores)
            await stores.close()
            return result
        } catch {
            await stores.close()
            throw error
        }
    }

    /// Opens the stores and runs `body` with the person who has an e-mail address.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when no person has the address.
    func withPerson<Result: Sendable>(
        _ email: String, _ body: (Person, GatewayStores) async throws -> Result
    ) async throws -> Result {
        try await withStores { stores in try await body(try await stores.people.require(email), stores) }
    }
}
