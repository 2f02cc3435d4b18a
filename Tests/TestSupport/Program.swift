/// Runs a program to its end, off the shared pool.
public enum Program {
    /// What a program that ended said.
    public struct Result: Sendable {
        /// The exit status, or 128 plus the signal that ended it.
        public let status: Int32
        /// All of its standard output.
        public let output: String
        /// All of its standard error.
        public let errors: String
    }

    /// Runs `path` with `arguments`, an environment of its own and `input` on standard input, and waits for its end.
    ///
    /// A name without a slash is looked up in `PATH`. The environment is the test's own
    /// when none is given. Cancelling does not end the program.
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
