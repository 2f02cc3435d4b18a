import Foundation
import HTTPMessages
import TestSupport
import Testing

/// A house with a sandbox, and a person in it who signs in by `scripts/person` in place of a browser.
struct SandboxFixture {
    let base: SystemFixture
    let sandbox: RunningSandbox

    init() async throws {
        let first = try SystemFixture()
        let tools = (try Products.path("latch") as NSString).deletingLastPathComponent
        base = SystemFixture(
            sharing: first,
            ["TMPDIR": first.folder.path, "PATH": tools + ":" + (first.environment["PATH"] ?? "")])
        sandbox = try await RunningSandbox(base)
    }

    /// Lends a house, and ends its sandbox after `body`.
    static func with(_ body: (SandboxFixture) async throws -> Void) async throws {
        let fixture = try await SandboxFixture()
        try await attempt {
            try await body(fixture)
        } finally: {
            await fixture.sandbox.end()
        }
    }

    /// Lends a house with the address of one of the sandbox's servers, by its member among what the sandbox says in JSON.
    static func with(_ server: String, _ body: (SandboxFixture, String) async throws -> Void) async throws {
        try await with { try await body($0, try #require($0.sandbox.json[server]?["url"]?.string)) }
    }

    /// The command of a browser at which somebody sits.
    func browser(_ name: String = "ada", _ button: String = "allow") -> String {
        "'\(Self.script)' \(name)@example.org \(name)-plays-in-the-sandbox \(button)"
    }

    /// The last address that a browser is sent to when somebody signs in at `address`.
    func link(from address: String, _ name: String = "ada") async throws -> String {
        let response = try await Program.run(
            Self.script, ["\(name)@example.org", "\(name)-plays-in-the-sandbox", "allow", address],
            environment: base.environment.merging(["PERSON_PRINTS": "1"]) { $1 })
        guard response.status == 0 else { throw ChildProcess.Failure(response.errors) }
        return response.output.trimmingCharacters(in: .newlines)
    }

    /// Runs `latch` in a session without a terminal.
    func latch(_ arguments: String...) async throws -> Program.Result {
        try await Program.run(
            "setsid", ["--wait", Products.path("latch")] + arguments, environment: base.environment)
    }

    /// Runs `latch` at a terminal.
    func terminal(_ arguments: String...) throws -> PseudoTerminal {
        // The key file keeps questions about a passphrase away.
        let environment = base.environment.merging(["LATCH_SECRETS_KEY": base.folder.file("key")]) { $1 }
        return try PseudoTerminal(Products.path("latch"), arguments, environment: environment)
    }

    private static let script = Products.packageFolder + "/scripts/person"

    /// The address of a sign-in among what `latch` said.
    static func address(in text: String) -> String {
        let lines = text.split(whereSeparator: \.isWhitespace)
        return lines.first { $0.contains("app_state=") }.map(String.init) ?? ""
    }
}
