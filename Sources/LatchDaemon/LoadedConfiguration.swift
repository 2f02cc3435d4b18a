import HTTPServer
import LatchGateway

/// The configuration of one run, and where it came from.
struct LoadedConfiguration: Sendable {
    var settings: GatewaySettings
    var server: HTTPServer.Configuration
    var drain: Duration
    /// What a person reads of where it came from.
    var source: String
    var warnings: [String] = []

    static func load(_ path: String?, environment: [String: String]) throws -> LoadedConfiguration {
        let state = environment["XDG_STATE_HOME"] ?? (environment["HOME"] ?? "/var/lib") + "/.local/state"
        let listen = (environment["LATCHD_LISTEN"] ?? "127.0.0.1:2283").split(separator: ":")
        return LoadedConfiguration(
            settings: GatewaySettings(databasePath: environment["LATCHD_DATABASE"] ?? state + "/latchd/latchd.db"),
            server: HTTPServer.Configuration(listeners: [.tcp(host: String(listen[0]), port: UInt16(listen[1])!)]),
            drain: .seconds(10), source: "defaults")
    }
}
