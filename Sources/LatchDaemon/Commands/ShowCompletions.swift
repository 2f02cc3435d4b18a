import Arguments

/// `latchd completions`.
struct ShowCompletions: ExecutableCommand {
    let shell: Shell

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        try Output.write(DaemonProgram.program.completionScript(for: shell))
        return .done
    }
}
