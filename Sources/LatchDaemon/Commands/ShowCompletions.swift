import Arguments

/// `latchd completions`: prints the completion script of a shell.
struct ShowCompletions: ExecutableCommand {
    let shell: Shell

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        try Output.write(DaemonProgram.program.completionScript(for: shell))
        return .done
    }
}
