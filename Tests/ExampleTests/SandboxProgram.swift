import Foundation
import LatchKit
import TestSupport

/// `latchd sandbox`, as a programmer starts it to try an app.
struct SandboxProgram {
    /// What `--json` prints.
    struct Report: Decodable {
        struct Server: Decodable { var url: String }
        struct User: Decodable { var email: String, password: String }

        var immich: Server
        var users: [User]
    }

    let report: Report
    private let program: RunningProgram

    init() async throws {
        var environment = ProcessInfo.processInfo.environment
        environment["LATCHD_CONFIG"] = nil
        program = try RunningProgram(Products.path("latchd"), ["sandbox", "--json"], environment: environment)
        let line = try await program.line(containing: "\"immich\"")
        report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }

    func end() async {
        program.send(15)
        _ = await program.waitForExit()
    }
}

/// A presenter that fills in the page of the sandbox's provider, as a person does.
struct ConsentingPerson: BrowserPresenting {
    let user: SandboxProgram.Report.User

    func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String? {
        let cookies = try TemporaryDirectory()
        let page = try await redirect(from: address, cookies)
        let form = ["email=\(user.email)", "password=\(user.password)", "action=allow"]
        let back = try await redirect(from: page, cookies, form.flatMap { ["--data-urlencode", $0] })
        return try await redirect(from: back, cookies)
    }

    private func redirect(
        from address: String, _ cookies: TemporaryDirectory, _ form: [String] = []
    ) async throws -> String {
        let jar = cookies.file("jar")
        let result = try await Program.run(
            "curl",
            [
                "--silent", "--output", "/dev/null", "--write-out", "%header{location}", "--cookie", jar,
                "--cookie-jar", jar,
            ] + form + [address])
        guard result.status == 0, !result.output.isEmpty else {
            throw LatchError(.serverRefused, "\(address) did not redirect: \(result.errors)")
        }
        return result.output
    }
}
