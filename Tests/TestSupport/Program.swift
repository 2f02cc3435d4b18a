/// Runs programs to their end, outside the shared thread pool.
public enum Program {
    /// The result of a program that ended.
    public struct Result: Sendable {
        /// The exit status, or 128 plus the number of the signal that ended the program.
        public let status: Int32
        /// The complete standard output.
        public let output: String
        /// The complete standard error.
        public let errors: String
    }

    /// Runs `path` with `arguments` and with `input` on standard input, and waits for it to end.
    ///
    /// A name without a slash is looked up in `PATH`. The default environment is that of the test. Cancelling the task
    /// does not end the program.
    public static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: String = "",
        directory: String? = nil
    ) async throws -> Result {
        let child = try ChildProcess(path, arguments, environment: environment, directory: directory)
        async let errors = BackgroundThread.run { child.errors.readToEnd() }
        async let output = BackgroundThread.run { child.output.readToEnd() }
        await BackgroundThread.run {
            child.input.write(Array(input.utf8))
            child.input.close()
        }
        let texts = await (output: output, errors: errors)
        let status = await child.waitForExit()
        return Result(
            status: status, output: String(decoding: texts.output, as: UTF8.self),
            errors: String(decoding: texts.errors, as: UTF8.self))
    }
}
