import Arguments
import CommandLineTool
import Terminal

/// Runs the commands of `latchd` and prints their failures.
struct Main: CommandLineProgram {
    var declaration: Program<any ExecutableCommand> { DaemonProgram.program }

    func perform(_ command: any ExecutableCommand, environment: [String: String], signals: Signals) async -> Int32 {
        do {
            guard let command = command as? any Reloading else {
                return try await command.perform(environment).rawValue
            }
            return try await command.perform(environment, hangUps: signals.hangUps()).rawValue
        } catch is CancellationError {
            StandardOutput.printMessage("latchd: Stopped.")
            return 128 + (signals.received ?? 2)
        } catch {
            return fail(error)
        }
    }

    func fail(_ error: any Error, arguments: [String], environment: [String: String]) -> Int32 { fail(error) }

    private func fail(_ error: any Error) -> Int32 {
        let failure = Failure(error)
        StandardOutput.printMessage(failure.namesProgram ? failure.message : "latchd: \(failure.message)")
        return failure.code.rawValue
    }
}
