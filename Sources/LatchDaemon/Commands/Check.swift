import LatchGateway

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
        for warning in file.warnings { Output.note("latchd: Warning: \(warning)") }
        try Output.lines(["The configuration is right (\(file.source))."])
        return .done
    }
}
