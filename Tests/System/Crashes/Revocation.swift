import HTTPMessages
import TestSupport
import Testing

/// One `latchd sessions revoke`, beside a gateway that may be killed meanwhile.
struct Revocation: Sendable {
    let email: String
    /// The tokens that have ended once the command says so.
    let tokens: [String]
    /// The device whose session is to end, by its id; nil for all of the person's.
    let device: String?

    /// Runs the command, which must succeed.
    func run(in fixture: SystemFixture) async throws {
        guard let device else { return try await revoke(["--user", email], in: fixture) }
        let list = try await fixture.latchd("sessions", "list", email, "--json")
        let sessions = try list.json().array
        let id = sessions?.first { $0["deviceName"]?.string == device }?["id"]?.string
        try await revoke([try #require(id, "\(list.output) \(list.errors)")], in: fixture)
    }

    private func revoke(_ which: [String], in fixture: SystemFixture) async throws {
        let result = try await fixture.latchd(["sessions", "revoke"] + which)
        try #require(result.status == 0, "\(result.errors)")
    }
}
