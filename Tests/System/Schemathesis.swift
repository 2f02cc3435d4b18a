import Foundation
import TestSupport

/// schemathesis, which compares a server with an OpenAPI description of it.
enum Schemathesis {
    /// The Python programs that `scripts/immich-clients` installs.
    static func tool(_ name: String) throws -> String {
        let path = Products.packageFolder + "/.build/immich-clients/bin/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ChildProcess.Failure("The Python programs for these tests are missing: run scripts/immich-clients.")
        }
        return path
    }

    /// The environment of these programs.
    static let environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": NSTemporaryDirectory(),
    ]

    /// Sends requests with a token to a server, and looks for responses that its description does not declare.
    ///
    /// - Parameters:
    ///   - url: The URL of the server, with the prefix of the description's paths.
    ///   - description: The path of the description.
    ///   - token: The bearer token of all requests.
    ///   - arguments: Further arguments, such as what to leave out.
    ///   - examples: The maximum number of random requests for each operation.
    /// - Returns: The exit code and the output of schemathesis.
    /// - Throws: An error if schemathesis is not installed or cannot be started.
    static func run(
        _ url: String, describedIn description: String, token: String, _ arguments: [String], examples: Int
    ) async throws -> Program.Result {
        let folder = try TemporaryDirectory()
        return try await Program.run(
            try tool("schemathesis"),
            [
                "run", "--checks",
                "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
                "--phases", "examples,coverage,fuzzing", "--max-examples", "\(examples)", "--no-shrink", "--seed", "1",
                "--continue-on-failure", "--max-redirects", "0", "--request-timeout", "\(SuccessTimeout.seconds)",
                "--suppress-health-check",
                "all", "--no-color", "--url", url, "--header", "Authorization:Bearer \(token)",
            ] + arguments + [description], environment: environment, directory: folder.path)
    }
}
