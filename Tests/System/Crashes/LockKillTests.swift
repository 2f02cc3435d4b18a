import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latch pin local` killed before every system call that changes a file's name, with the real Argon2id and the kernel's
/// keyring. polkit is simulated, and always allows.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10))) struct LockKillTests {
    /// What is killed.
    enum Command: String, CaseIterable, Sendable {
        case set, change, remove

        /// What the command reads.
        var input: String {
            switch self {
            case .set, .remove: LockKillTests.pin + "\n"
            case .change: "\(LockKillTests.pin)\n\(LockKillTests.newPIN)\n"
            }
        }
    }

    private static let pin = "274951"
    private static let newPIN = "a longer text"

    @Test(
        "IM-15 if latch is killed at any step of a change of the PIN, the token is readable with one of the two PINs",
        arguments: Command.allCases)
    func killed(command: Command) async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGatewayWithPerson()
        try #require(try await fixture.signIn(to: gateway).status == 0)
        let token = try await fixture.latch("token").output
        if command != .set {
            let set = try await fixture.latch("pin", "local", "set", "--pin-stdin", input: Self.pin)
            try #require(set.status == 0, "\(set.errors)")
        }
        let arguments = ["pin", "local", command.rawValue, "--pin-stdin"]
        let points = try await SystemCalls.points(
            named: ["rename", "unlink"], of: Products.path("latch"), arguments,
            environment: try copy(of: fixture, as: "trace"), input: command.input)
        try #require(points.count >= 3)

        var killed = 0
        for point in points {
            let environment = try copy(of: fixture, as: "\(point.name)-\(point.number)")
            let isKilled = try await SystemCalls.kill(
                at: point, Products.path("latch"), arguments, environment: environment, input: command.input)
            if isKilled { killed += 1 }
            _ = try await latch(["lock"], environment)
            if try await latch(["token"], environment).status == 80 {
                var unlocked = try await latch(["unlock", "--pin-stdin"], environment, input: Self.newPIN)
                if unlocked.status == 77 {
                    unlocked = try await latch(["unlock", "--pin-stdin"], environment, input: Self.pin)
                }
                #expect(unlocked.status == 0, "\(command), killed before \(point): \(unlocked.errors)")
            }
            #expect(try await latch(["token"], environment).output == token, "\(command), killed before \(point)")
        }
        // Which thread does what differs from run to run, so some points are not reached.
        #expect(killed >= 2)
    }

    /// What is killed with the system's authentication.
    enum SystemCommand: String, CaseIterable, Sendable {
        case set, setBesidesPIN, removeBesidesPIN, remove
    }

    @Test(
        "IM-15 if latch is killed at any step of a change of the system's authentication, the token stays readable",
        arguments: SystemCommand.allCases)
    func killed(command: SystemCommand) async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGatewayWithPerson()
        let (keyring, desktop) = (
            try await Keyring(in: fixture.folder.file("keyring")), try await MockDesktop(.polkit)
        )
        try await desktop.setPolkit(.allows)
        let data = fixture.folder.file("locked")
        let environment = fixture.environment.merging(desktop.environment) { $1 }.merging([
            "XDG_DATA_HOME": data, "LATCH_SECRETS": "service", "DBUS_SESSION_BUS_ADDRESS": keyring.address,
        ]) { $1 }
        let system = ["pin", "local", "set", "--system-authentication"]
        let arguments =
            switch command {
            case .set: system
            case .setBesidesPIN: system + ["--pin-stdin"]
            case .removeBesidesPIN: ["pin", "local", "remove", "--system-authentication", "--pin-stdin"]
            case .remove: ["pin", "local", "remove"]
            }
        // The secrets of an earlier round stay in the keyring, and each round has a new account.
        @Sendable func prepare() async throws -> String {
            try? FileManager.default.removeItem(atPath: data)
            let login = try await latch(
                ["login", gateway.address, "--email", SystemFixture.email, "--password-stdin"], environment,
                input: SystemFixture.password + "\n")
            try #require(login.status == 0, "\(login.errors)")
            let token = try await latch(["token"], environment).output
            var before: [[String]] = []
            if command != .set, command != .setBesidesPIN { before.append(system) }
            if command != .set, command != .remove { before.append(["pin", "local", "set", "--pin-stdin"]) }
            for words in before {
                let result = try await latch(words, environment, input: Self.pin)
                try #require(result.status == 0, "\(result.errors)")
            }
            return token
        }
        _ = try await prepare()
        let points = try await SystemCalls.points(
            named: ["rename", "unlink"], of: Products.path("latch"), arguments, environment: environment,
            input: Self.pin)
        try #require(points.count >= 3)

        var killed = 0
        for point in points {
            let token = try await prepare()
            let isKilled = try await SystemCalls.kill(
                at: point, Products.path("latch"), arguments, environment: environment, input: Self.pin)
            if isKilled { killed += 1 }
            _ = try await latch(["lock"], environment)
            var result = try await latch(["token"], environment)
            if result.status == 80 {
                #expect(command == .setBesidesPIN || command == .removeBesidesPIN)
                let unlocked = try await latch(["unlock", "--pin-stdin"], environment, input: Self.pin)
                #expect(unlocked.status == 0, "\(command), killed before \(point): \(unlocked.errors)")
                result = try await latch(["token"], environment)
            }
            #expect(result.output == token, "\(command), killed before \(point): \(result.errors)")
        }
        #expect(killed >= 2)
    }

    /// Copies the files of the client, and returns an environment with them.
    private func copy(of fixture: SystemFixture, as name: String) throws -> [String: String] {
        var environment = fixture.environment
        let (data, copy) = (try #require(environment["XDG_DATA_HOME"]), fixture.folder.file("data-\(name)"))
        try FileManager.default.copyItem(atPath: data, toPath: copy)
        environment["XDG_DATA_HOME"] = copy
        return environment
    }

    private func latch(
        _ arguments: [String], _ environment: [String: String], input: String = ""
    ) async throws -> Program.Result {
        try await Program.run(Products.path("latch"), arguments, environment: environment, input: input)
    }
}
