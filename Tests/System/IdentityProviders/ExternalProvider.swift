import Foundation
import TestSupport

/// An OpenID provider that others wrote, with one person and one client, in a folder of its own.
struct ExternalProvider {
    static let email = "ada@example.org"
    static let password = "ada-plays-elsewhere-7391"
    static let client = "latch"
    /// A public client with refresh tokens, for the program itself. Only `allauth` has it.
    static let nativeClient = "latch-native"
    static let secret = "secret-of-latch-0123456789abcdef"

    let issuer: String
    private let program: RunningProgram
    private let folder: TemporaryDirectory

    /// Starts `canaille` or `allauth` and waits until it listens.
    ///
    /// - Throws: When `scripts/identity-providers` was not run.
    init(_ name: String, redirect: String) async throws {
        let python = Products.packageFolder + "/.build/identity-providers/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw ChildProcess.Failure("The identity providers are not installed: run scripts/identity-providers.")
        }
        let script = Products.packageFolder + "/Tests/Programs/IdentityProviders/identity_provider.py"
        folder = try TemporaryDirectory()
        let environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder.path,
            "PYTHONDONTWRITEBYTECODE": "1",
        ]
        program = try RunningProgram(python, [script, name, folder.path, redirect], environment: environment)
        let line = try await program.line(containing: "listening on ")
        // Canaille's issuer ends in a slash.
        issuer = (line.split(separator: " ").last.map(String.init) ?? "") + (name == "canaille" ? "/" : "")
    }

    func end() async {
        program.send(SIGTERM)
        await program.waitForExit()
    }
}
