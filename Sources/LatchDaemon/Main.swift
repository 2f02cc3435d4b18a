import Arguments
import Terminal

/// Runs the command line and returns the exit status.
struct Main {
    let signals: Signals

    func run(_ words: [String], environment: [String: String]) async -> Int32 {
        do {
            switch try DaemonProgram.program.parse(words, environment: environment) {
            case .show(let text):
                try Output.write(text)
                return ExitCode.done.rawValue
            case .run(let work): return await perform(work, environment)
            }
        } catch {
            return fail(error)
        }
    }

    /// Runs the command in a task that the first signal cancels.
    private func perform(_ work: any ExecutableCommand, _ environment: [String: String]) async -> Int32 {
        let hangUps = (work as? any Reloading).map { ($0, signals.hangUps()) }
        let task = Task {
            guard let (work, hangUps) = hangUps else { return try await work.perform(environment) }
            return try await work.perform(environment, hangUps: hangUps)
        }
        signals.onFirst { task.cancel() }
        do {
            return try await task.value.rawValue
        } catch is CancellationError {
            Output.note("latchd: Stopped.")
            return 128 + (signals.received ?? 2)
        } catch {
            return fail(error)
        }
    }

    private func fail(_ error: any Error) -> Int32 {
        let failure = Failure(error)
        Output.note(failure.namesProgram ? failure.message : "latchd: \(failure.message)")
        return failure.code.rawValue
    }
}
