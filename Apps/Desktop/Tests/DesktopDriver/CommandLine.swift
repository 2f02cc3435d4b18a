/// The result of a program that ended.
package struct CommandResult: Sendable {
    /// The exit code.
    package let code: Int32
    /// Standard output and standard error.
    package let output: String
    package let errors: String
}

extension PersonFolders {
    /// Runs `latch` for the person, and waits for its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - input: The lines of standard input.
    /// - Returns: The result.
    /// - Throws: An error when the program cannot be started.
    package func latch(_ arguments: String..., input: String = "") async throws -> CommandResult {
        try await latch(arguments, input: input)
    }

    /// Runs `latch` for the person, and waits for its end.
    package func latch(_ arguments: [String], input: String = "") async throws -> CommandResult {
        // The shell gives the program an input that ends, and no terminal.
        let script = "input=$1; shift; printf %s \"$input\" | \"$@\""
        let program = try ChildProgram(
            "/bin/sh", ["-c", script, "sh", input, Programs.latch] + arguments, environment: environment, folder: root)
        let output = await program.allOutput()
        return CommandResult(code: await program.exitCode(), output: output, errors: program.errors)
    }

    /// Signs in with `latch login` and a password.
    package func signIn(_ email: String, _ sandbox: RunningSandbox, _ dialect: String) async throws {
        let result = try await latch(
            "login", sandbox.addresses[dialect]!, "--email", email, "--password-stdin",
            input: sandbox.passwords[email]! + "\n")
        guard result.code == 0 else { throw DriverError("latch login: \(result.errors)") }
    }
}
