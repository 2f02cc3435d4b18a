import Foundation
import TestSupport

/// A home of its own for one test: both programs run in it with nothing of the person's who runs the tests.
final class SystemFixture: Sendable {
    static let password = "correct horse battery staple 7391"
    static let email = "ada@example.org"

    let folder: TemporaryDirectory
    let environment: [String: String]

    init(_ extra: [String: String] = [:]) throws {
        folder = try TemporaryDirectory()
        var environment = [
            "HOME": folder.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "XDG_DATA_HOME": folder.file("data"), "XDG_STATE_HOME": folder.file("state"),
            "XDG_CONFIG_HOME": folder.file("config"), "XDG_RUNTIME_DIR": folder.file("run"), "LATCH_SECRETS": "file",
            "LATCHD_PASSWORDS_ARGON2_MEMORY": "8MiB", "LATCHD_PASSWORDS_ARGON2_ITERATIONS": "1",
            "LATCHD_GUARDS_SIGN_INS": "100000",
        ]
        try FileManager.default.createDirectory(
            atPath: folder.file("run"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        environment.merge(extra) { $1 }
        self.environment = environment
    }

    /// The same home with other variables.
    init(sharing other: SystemFixture, _ extra: [String: String]) {
        folder = other.folder
        environment = other.environment.merging(extra) { $1 }
    }

    /// Runs `latch` to its end.
    func latch(_ arguments: String..., input: String = "") async throws -> Program.Result {
        try await Program.run(Products.path("latch"), arguments, environment: environment, input: input)
    }

    /// Runs `latchd` to its end.
    func latchd(_ arguments: String..., input: String = "") async throws -> Program.Result {
        try await Program.run(Products.path("latchd"), arguments, environment: environment, input: input)
    }

    /// Runs `latchd` to its end.
    func latchd(_ arguments: [String]) async throws -> Program.Result {
        try await Program.run(Products.path("latchd"), arguments, environment: environment)
    }

    /// Starts the gateway and waits until it listens, also on a Unix socket if one is named; with no more than so many
    /// descriptors, if that is said.
    func startGateway(
        host: String = "127.0.0.1", port: Int = 0, socket: String? = nil, descriptors: Int? = nil
    ) async throws -> RunningGateway {
        let program = try beginGateway(host: host, port: port, socket: socket, descriptors: descriptors)
        let line = try await program.line(containing: "listening")
        guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw ChildProcess.Failure("No port in '\(line)'.")
        }
        return RunningGateway(program: program, port: port, isTLS: line.contains("https://"), base: self)
    }

    /// Starts the gateway and waits for nothing.
    func beginGateway(
        host: String = "127.0.0.1", port: Int = 0, socket: String? = nil, descriptors: Int? = nil
    ) throws -> RunningProgram {
        var environment = environment
        environment["LATCHD_LISTEN"] = "\(host):\(port)" + (socket.map { ",unix:\($0)" } ?? "")
        let latchd = try Products.path("latchd")
        let command =
            descriptors.map { ["sh", "-c", "ulimit -n \($0); exec \"$0\" serve", latchd] } ?? [latchd, "serve"]
        return try RunningProgram(command[0], Array(command.dropFirst()), environment: environment)
    }

    /// Starts a gateway with one person.
    func startGatewayWithPerson(port: Int = 0, socket: String? = nil) async throws -> RunningGateway {
        let gateway = try await startGateway(port: port, socket: socket)
        let added = try await latchd("user", "add", Self.email, "--password-stdin", input: Self.password + "\n")
        guard added.status == 0 else { throw ChildProcess.Failure(added.errors) }
        return gateway
    }

    /// Signs the person in.
    func signIn(to gateway: RunningGateway) async throws -> Program.Result {
        try await latch(
            "login", gateway.address, "--email", Self.email, "--password-stdin", input: Self.password + "\n")
    }

    /// Every file of the house that holds `secret`, of ``Leaks/shortestNeedle`` bytes or more.
    func files(holding secret: String) throws -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return all.filter { name in
            FileManager.default.contents(atPath: folder.file(name))?.leaks(secret) ?? false
        }
    }
}

/// A gateway that runs.
struct RunningGateway {
    let program: RunningProgram
    let port: Int
    let isTLS: Bool
    /// Its files are there for as long as the gateway is looked at.
    let base: SystemFixture

    var address: String { "\(isTLS ? "https" : "http")://127.0.0.1:\(port)" }

    /// Ends it without warning.
    func kill() async {
        program.send(SIGKILL)
        await program.waitForExit()
    }
}
