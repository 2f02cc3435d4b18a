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
        let location = file.configuration.settings.database
        let database = await Self.check(location)
        warnings += (try? database.get())?.warnings ?? []
        for warning in warnings { StandardOutput.printMessage("latchd: Warning: \(warning)") }
        // The database last, because it may only be unavailable for now.
        let note = (try? database.get())?.note ?? "cannot be used"
        try Output.lines(
            [
                "The configuration is valid (\(file.source)).",
                "  database     \(location.description.printable) (\(note))",
            ]
                + (certificate.map(lines) ?? []))
        _ = try database.get()
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

    /// Returns what `latchd serve` would find at the database, and warnings about it. Changes nothing.
    private static func check(
        _ location: DatabaseLocation
    ) async -> Result<(note: String, warnings: [String]), any Error> {
        do {
            try location.refuseFolder()
            guard let status = try await DatabaseStatus.check(location) else {
                return .success(("will be created", []))
            }
            let clock = status.clockDifference.flatMap { difference in
                ClockDifference.isTolerated(difference)
                    ? nil : "The clock of the database is \(ClockDifference.text(difference))."
            }
            let (version, newest) = (status.schemaVersion, DatabaseLocation.schemaVersion)
            let tables =
                version == newest
                ? "tables of version \(version)"
                : version == 0
                    ? "no tables yet: 'latchd serve' creates them"
                    : "tables of version \(version): 'latchd serve' migrates them to \(newest)"
            return .success(("\(status.product.printable), \(tables)", status.warnings + [clock].compactMap(\.self)))
        } catch {
            return .failure(error)
        }
    }

    private func lines(_ certificate: TLSCertificate) -> [String] {
        [
            "  certificate  \(certificate.coveredNames)",
            "  valid        \(certificate.notBefore.forPeople) to \(certificate.notAfter.forPeople)",
            "  SHA-256      \(certificate.fingerprint)",
        ]
    }
}
