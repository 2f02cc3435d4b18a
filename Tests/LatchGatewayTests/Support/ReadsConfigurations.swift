import GatewayConfiguration
import LatchGateway
import Testing

/// Tests that read configurations as an operator writes them.
protocol ReadsConfigurations {}

extension ReadsConfigurations {
    /// The configuration in a file's text and variables.
    func read(
        _ file: String?, _ environment: [String: String] = [:], folder: String = "/etc"
    ) throws -> DaemonConfiguration {
        try ConfigurationReader.read(
            file: file.map { Array($0.utf8) }, name: "/etc/l.yaml", folder: folder, environment: environment,
            defaultValue: DaemonConfiguration(stateFolder: "/state"))
    }

    /// The gateway's settings in them.
    func readSettings(
        _ file: String?, _ environment: [String: String] = [:], folder: String = "/etc"
    ) throws -> GatewaySettings {
        try read(file, environment, folder: folder).settings
    }

    /// Every mistake in them, as it is told; expects at least one.
    func configurationErrors(_ file: String?, _ environment: [String: String] = [:], folder: String = "/etc")
        -> [String]
    {
        let error = #expect(throws: ConfigurationError.self) { try read(file, environment, folder: folder) }
        return error?.mistakes.map(\.description) ?? []
    }
}
