import FoundationEssentials
import HTTPServer
import LatchGateway
import Terminal

/// `latchd check`.
struct Check: Work {
    let configurationPath: String?
    let isListingKeys: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        if isListingKeys {
            try Output.write(ConfigurationKey.listing())
            return .done
        }
        let file = try ConfigurationFile(path: configurationPath, environment: environment)
        let files = file.configuration.settings.certificateFiles
        let certificate = try files?.read()
        var warnings = file.warnings
        if let certificate, let files {
            warnings += CertificateWarning.all(for: certificate, files, now: Date()).map(\.sentence)
        }
        for warning in warnings { Output.note("latchd: Warning: \(warning)") }
        try Output.lines(
            ["The configuration is right (\(file.source))."] + [database(file)] + (certificate.map(lines) ?? []))
        return .done
    }

    private func database(_ file: ConfigurationFile) -> String {
        let path = file.configuration.settings.databasePath ?? "in memory"
        let isThere = FileManager.default.fileExists(atPath: path)
        return "  database     \(path.printable)\(isThere ? "" : " (to be made)")"
    }

    private func lines(_ certificate: TLSCertificate) -> [String] {
        [
            "  certificate  \(certificate.coveredNames)",
            "  valid        \(certificate.notBefore.forPeople) to \(certificate.notAfter.forPeople)",
            "  SHA-256      \(certificate.fingerprint)",
        ]
    }
}
