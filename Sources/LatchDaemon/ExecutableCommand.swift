/// What one command does.
protocol ExecutableCommand: Sendable {
    /// Does it; cancelled by the first signal.
    func perform(_ environment: [String: String]) async throws -> ExitCode
}

/// A command that goes on at SIGHUP.
protocol Reloading: ExecutableCommand {
    /// Does it; cancelled by the first signal but SIGHUP, of which `hangUps` has an element for each.
    func perform(_ environment: [String: String], hangUps: AsyncStream<Void>) async throws -> ExitCode
}

extension Reloading {
    func perform(_ environment: [String: String]) async throws -> ExitCode {
        try await perform(environment, hangUps: AsyncStream { $0.finish() })
    }
}
