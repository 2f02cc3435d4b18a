import Arguments
import CommandLineTool
import LatchKit
import Terminal

/// Runs the commands of `latch` and prints their failures.
struct Main: CommandLineProgram {
    var declaration: Program<Request> { LatchProgram.program }

    func performHidden(_ arguments: [String], environment: [String: String]) async -> Int32? {
        switch arguments.first {
        case LatchProgram.callbackWord:
            CallbackCommand(environment: environment).run(Array(arguments.dropFirst()))
        case LatchProgram.namesWord where arguments.count == 1:
            await AccountNames(environment: environment).printAll()
        case LatchProgram.methodsWord where arguments.count == 1:
            printMethods(environment)
        default: nil
        }
    }

    private func printMethods(_ environment: [String: String]) -> Int32 {
        try? Console(isJSON: false, environment: environment).printLines([
            "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD",
        ])
        return ExitCode.done.rawValue
    }

    func perform(_ request: Request, environment: [String: String], signals: Signals) async -> Int32 {
        let context = CommandContext(
            request.common, isNonInteractive: request.work.isNonInteractive,
            finishesUnfinished: request.work.finishesUnfinished, environment: environment)
        let result: Result<ExitCode, any Error>
        do {
            result = .success(try await request.work.perform(in: context))
        } catch {
            result = .failure(error)
        }
        await context.close()
        switch result {
        case .success(let code): return code.rawValue
        case .failure(let error): return fail(error, in: context, signals: signals)
        }
    }

    private func fail(_ error: any Error, in context: CommandContext, signals: Signals) -> Int32 {
        if let signal = signals.received {
            context.console.fail(LatchError(.cancelled, context.stopMessage), hint: nil)
            return 128 + signal
        }
        let failure = LatchError(describing: error)
        context.console.fail(failure, hint: context.hint(for: failure))
        return ExitCode(for: failure.code).rawValue
    }

    func fail(_ error: any Error, arguments: [String], environment: [String: String]) -> Int32 {
        // The command line could not be parsed, so --json is searched for among its words.
        let console = Console(isJSON: arguments.contains("--json"), environment: environment)
        let failure = LatchError(describing: error)
        console.fail(failure, hint: nil)
        return ExitCode(for: failure.code).rawValue
    }
}
