/// A command with its parsed options.
protocol ExecutableCommand: Sendable {
    /// Runs the command. The first signal cancels it.
    func perform(_ environment: [String: String]) async throws -> ExitCode
}

/// A command that keeps running at SIGHUP.
protocol Reloading: ExecutableCommand {
    /// Runs the command. The first signal other than SIGHUP cancels it. `hangUps` has an element for each SIGHUP.
    func perform(_ environment: [String: String], hangUps: AsyncStream<Void>) async throws -> ExitCode
}

extension Reloading {
    func perform(_ environment: [String: String]) async throws -> ExitCode {
        try await perform(environment, hangUps: AsyncStream { $0.finish() })
    }
}
