import LatchGateway

/// What every command beside `serve` works on: the stores of the configured database, open for its duration.
///
/// Only the audit file hears of it, if there is one: the log belongs to the running gateway.
struct Administration: Sendable {
    let configurationPath: String?
    let environment: [String: String]

    /// Opens the stores, runs `body` and closes them, whatever becomes of it.
    func withStores<Result: Sendable>(_ body: (GatewayStores) async throws -> Result) async throws -> Result {
        let configuration = try ConfigurationFile(path: configurationPath, environment: environment).configuration
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

    /// The same with the person who has an e-mail address.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when nobody has it.
    func withPerson<Result: Sendable>(
        _ email: String, _ body: (Person, GatewayStores) async throws -> Result
    ) async throws -> Result {
        try await withStores { stores in try await body(try await stores.people.require(email), stores) }
    }
}
