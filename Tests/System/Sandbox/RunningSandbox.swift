import HTTPMessages
import TestSupport

/// `latchd sandbox --json`, as a program that needs a server starts it.
struct RunningSandbox {
    let program: RunningProgram
    let onyx: String
    let issuer: String
    let email: String
    let password: String
    /// The whole line.
    let json: JSONValue
    private let fixture: SystemFixture

    /// Starts it and reads the first line, which it waits for.
    init(_ fixture: SystemFixture, _ arguments: String...) async throws {
        program = try RunningProgram(
            Products.path("latchd"), ["sandbox", "--json"] + arguments, environment: fixture.environment)
        let line = try await program.line(containing: "")
        let json = try JSONValue(parsing: Array(line.utf8))
        guard let onyx = json["onyx"]?["url"]?.string, let issuer = json["issuer"]?["url"]?.string,
            let user = json["users"]?.array?.first, let email = user["email"]?.string,
            let password = user["password"]?.string
        else { throw ChildProcess.Failure("The first line is '\(line)'.") }
        self.json = json
        self.fixture = fixture
        self.onyx = onyx
        self.issuer = issuer
        self.email = email
        self.password = password
    }

    /// Ends it as an operator does and returns its exit status.
    @discardableResult
    func end(by signal: Int32 = 15) async -> Int32 {
        program.send(signal)
        return await program.waitForExit()
    }
}
