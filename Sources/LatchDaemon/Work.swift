/// What one command does.
protocol Work: Sendable {
    /// Does it; cancelled by the first signal.
    func perform(_ environment: [String: String]) async throws -> ExitCode
}
