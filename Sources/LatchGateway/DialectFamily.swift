package import GatewayConfiguration
import GatewayDialects
package import GatewayHTTP

/// A server family whose apps the gateway can serve.
///
/// A further family adds one line to ``all``.
package struct DialectFamily: Sendable {
    /// The default settings.
    package let settings: any DialectSettings
    /// Makes the routes. Called once for each gateway whose settings enable the dialect.
    let routes: @Sendable (GatewayServices) -> any GatewayDialect

    /// All families, in the order in which their keys are listed. When two dialects could respond to an unknown path,
    /// the first one does.
    package static let all = [
        DialectFamily(OnyxSettings()) { OnyxRoutes(services: $0) },
        DialectFamily(ImmichSettings()) { ImmichRoutes(services: $0) },
        DialectFamily(TimeTrackerSettings()) { TimeTrackerRoutes(services: $0) },
        DialectFamily(RelateMailSettings()) { RelateMailRoutes(services: $0) },
    ]

    /// The default settings of all families.
    static let defaultSettings = all.map(\.settings)

    /// Creates a family.
    package init(
        _ settings: any DialectSettings, _ routes: @escaping @Sendable (GatewayServices) -> any GatewayDialect
    ) {
        self.settings = settings
        self.routes = routes
    }

    /// Makes the routes of those of the families that the settings enable.
    static func routes(_ families: [DialectFamily], _ services: GatewayServices) -> [any GatewayDialect] {
        services.settings.enabledDialects.compactMap { settings in
            families.first { type(of: $0.settings) == type(of: settings) }?.routes(services)
        }
    }
}

extension GatewaySettings {
    /// Makes settings with defaults for all dialects of this gateway, and the given database file. Nil for a database
    /// in memory.
    package init(databasePath: String?) {
        self.init(databasePath: databasePath, dialects: DialectFamily.defaultSettings)
    }
}

extension DaemonConfiguration {
    /// Makes a configuration with defaults for all dialects of this gateway.
    ///
    /// - Parameter stateFolder: The folder of the database file.
    package init(stateFolder: String) {
        self.init(stateFolder: stateFolder, dialects: DialectFamily.defaultSettings)
    }
}

extension ConfigurationKey {
    /// All keys of this gateway, in the order in which they are listed.
    package static let all = all(for: DialectFamily.defaultSettings)

    /// Returns a list for people: each key of this gateway with its environment variable, meaning and default.
    package static func listing() -> String { listing(for: DialectFamily.defaultSettings) }
}
