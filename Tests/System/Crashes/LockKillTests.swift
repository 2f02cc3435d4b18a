import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latch pin local` killed before every system call that changes a file's name, with the real Argon2id and the kernel's
/// keyring.
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
