package import Arguments
import CLibrary
import FoundationEssentials
package import Terminal

/// A program that parses its command line and runs one command. `latch` and `latchd` share its entry point.
package protocol CommandLineProgram: Sendable {
    /// The parsed command line.
    associatedtype Action: Sendable

    /// The declaration of the command line.
    var declaration: Program<Action> { get }

    /// Runs a command that is in no help and not part of the declaration, such as one that shells use for completions.
    ///
    /// - Returns: The exit status, or nil when the arguments are not such a command.
    func performHidden(_ arguments: [String], environment: [String: String]) async -> Int32?

    /// Runs a command in a task that the first signal cancels, and prints why it failed.
    ///
    /// - Returns: The exit status.
    func perform(_ action: Action, environment: [String: String], signals: Signals) async -> Int32

    /// Prints why the command line could not be parsed, or the help not be written.
    ///
    /// - Returns: The exit status.
    func fail(_ error: any Error, arguments: [String], environment: [String: String]) -> Int32
}

extension CommandLineProgram {
    package func performHidden(_ arguments: [String], environment: [String: String]) async -> Int32? { nil }

    /// Prepares the process, runs the program with the arguments of the process, and exits. Call it before anything
    /// starts a thread.
    ///
    /// - Parameter largeAllocation: The size in bytes from which freed memory is returned to the system at once; see
    ///   ``Heap/limitRetainedMemory(large:)``.
    package func main(largeAllocation: Int32 = 128 << 10) async -> Never {
        StandardStreams.openClosed()
        CoreDumps.forbid()
        Heap.limitRetainedMemory(large: largeAllocation)
        let status = await run(
            Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment,
            signals: Signals())
        EchoGuard.shared.restore()
        exit(status)
    }

    private func run(_ arguments: [String], environment: [String: String], signals: Signals) async -> Int32 {
        if let status = await performHidden(arguments, environment: environment) { return status }
        do {
            switch try declaration.parse(arguments, environment: environment) {
            case .show(let text):
                try StandardOutput.write(Array(text.utf8))
                return 0
            case .run(let action):
                let task = Task { await perform(action, environment: environment, signals: signals) }
                signals.onFirst { task.cancel() }
                return await task.value
            }
        } catch {
            return fail(error, arguments: arguments, environment: environment)
        }
    }
}
