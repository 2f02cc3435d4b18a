import Arguments
import FoundationEssentials
import LatchKit
import Terminal

/// Runs the command line and returns the exit status.
struct Main {
    let signals: Signals

    func run(_ words: [String], environment: [String: String]) async -> Int32 {
        if words == [LatchProgram.namesWord] { return await AccountNames(environment: environment).printAll() }
        if words == [LatchProgram.methodsWord] { return printMethods(environment) }
        if words.first == LatchProgram.callbackWord {
            return CallbackCommand(environment: environment).run(Array(words.dropFirst()))
        }
        do {
            switch try LatchProgram.program.parse(words, environment: environment) {
            case .show(let text):
                try Console(isJSON: false, environment: environment).raw(Array(text.utf8))
                return ExitCode.done.rawValue
            case .run(let request): return await perform(request, environment)
            }
        } catch {
            // The command line could not be parsed, so --json is searched for among its words.
            let console = Console(isJSON: words.contains("--json"), environment: environment)
            let failure = LatchError(telling: error)
            console.fail(failure, hint: nil)
            return ExitCode(for: failure.code).rawValue
        }
    }

    private func printMethods(_ environment: [String: String]) -> Int32 {
        try? Console(isJSON: false, environment: environment).say(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])
        return ExitCode.done.rawValue
    }

    /// Runs the command in a task that the first signal cancels.
    private func perform(_ request: Request, _ environment: [String: String]) async -> Int32 {
        let context = CommandContext(
            request.common, isNonInteractive: request.work.isNonInteractive,
            finishesUnfinished: request.work.finishesUnfinished, environment: environment)
        let work = Task {
            let result: Result<ExitCode, any Error>
            do {
                result = .success(try await request.work.perform(in: context))
            } catch {
                result = .failure(error)
            }
            await context.close()
            return result
        }
        signals.onFirst { work.cancel() }
        switch await work.value {
        case .success(let code): return code.rawValue
        case .failure(let error): return fail(error, context)
        }
    }

    private func fail(_ error: any Error, _ context: CommandContext) -> Int32 {
        if let signal = signals.received {
            context.console.fail(LatchError(.cancelled, context.stopMessage), hint: nil)
            return 128 + signal
        }
        let failure = LatchError(telling: error)
        context.console.fail(failure, hint: context.hint(for: failure))
        return ExitCode(for: failure.code).rawValue
    }
}
