import Crypto
import Terminal

/// Reads a new password from standard input, or asks for it twice without echo.
enum PasswordInput {
    /// Reads the password.
    ///
    /// - Throws: `TerminalError` when there is neither a pipe nor a terminal, ``Failure`` when the two inputs differ.
    static func read(fromStandardInput: Bool) async throws -> Secret {
        if fromStandardInput { return try await StandardInput.firstLine() }
        let prompter = Prompter(terminal: Terminal())
        let instead = "Give the password on standard input with --password-stdin"
        let password = try await prompter.askSecret("New password", instead: instead)
        guard try await prompter.askSecret("Repeat the password", instead: instead) == password else {
            throw Failure(.badInput, "The two passwords differ. Nothing was changed.")
        }
        return password
    }
}
