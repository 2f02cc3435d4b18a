import Foundation

/// Checks tokens with the Python code of a page of the documentation, which `Tests/Programs/TokenCheck` runs.
public enum TokenCheck {
    /// Checks tokens.
    ///
    /// - Parameters:
    ///   - tokens: The tokens, without line breaks.
    ///   - page: The name of the page in `docs`.
    ///   - keys: The address of the keys.
    ///   - constants: What replaces `ISSUER` and `RESOURCE` of the page.
    /// - Returns: One line of output for each token: its claims, or `null`.
    /// - Throws: When the program cannot be started.
    public static func run(
        _ tokens: [String], page: String, keys: String, _ constants: [String]
    ) async throws -> Program.Result {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let script = root.appending(path: "Tests/Programs/TokenCheck/check.py").path
        return try await Program.run(
            "/usr/bin/python3", [script, root.appending(path: "docs/" + page).path, keys] + constants,
            environment: ["PATH": "/usr/bin:/bin"], input: tokens.joined(separator: "\n"))
    }
}
