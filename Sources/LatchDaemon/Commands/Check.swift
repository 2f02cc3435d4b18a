import CLibrary
import CommandLineTool
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import HTTPServer
import LatchGateway
import Primitives
import Terminal

/// `latchd check`: reads the configuration and reports its mistakes.
struct Check: ExecutableCommand {
    let configurationPath: String?
    let isListingKeys: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        if isListingKeys {
            try Output.write(ConfigurationKey.listing())
            return .done
        }
        let file = try ConfigurationFile(path: configurationPath, environment: environment)
        let obstacles = Self.obstacles(file.configuration)
        guard obstacles.isEmpty else { throw Failure(.configuration, obstacles.joined(separator: " ")) }
        let files = file.configuration.settings.certificateFiles
        let certificate = try files?.read()
        var warnings = file.warnings
        if let certificate, let files {
            warnings += CertificateWarning.all(for: certificate, files, now: Date()).map(\.sentence)
        }
        for warning in warnings { StandardOutput.printMessage("latchd: Warning: \(warning)") }
        try Output.lines(
            ["The configuration is valid (\(file.source))."] + [database(file)] + (certificate.map(lines) ?? []))
        return .done
    }

    /// Returns what prevents `latchd serve` from writing the files that the configuration names.
    private static func obstacles(_ configuration: DaemonConfiguration) -> [String] {
        var files = configuration.settings.auditPath.map { [("audit_log", $0)] } ?? []
        for case .unix(let path, _) in configuration.server.listeners { files.append(("listen", path)) }
        return files.compactMap { key, path in
            let folder = URL(filePath: path).deletingLastPathComponent().path
            guard unsafe access(folder, W_OK | X_OK) != 0 else { return nil }
            let reason = errno == ENOENT ? "does not exist" : "is not writable"
            return "\(key): the folder of '\(path.printable)' \(reason). Create it, or name another file."
        }
    }

    private func database(_ file: ConfigurationFile) -> String {
        let database = file.configuration.settings.database
        let isMissing = database.path.map { !FileManager.default.fileExists(atPath: $0) } ?? false
        return "  database     \(database.description.printable)\(isMissing ? " (will be created)" : "")"
    }

    private func lines(_ certificate: TLSCertificate) -> [String] {
        [
            "  certificate  \(certificate.coveredNames)",
            "  valid        \(certificate.notBefore.forPeople) to \(certificate.notAfter.forPeople)",
            "  SHA-256      \(certificate.fingerprint)",
        ]
    }
}
