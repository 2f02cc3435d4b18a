import Crypto
import Foundation
import TestSupport

/// Three gateways with the files of the example. The third reaches the database through a relay that can be paused.
final class ThreeGateways {
    static let numbers = [11, 12, 13]

    private let machines: ManyMachines
    private let fixture: SystemFixture
    let relay: PausableRelay
    let sandbox: RunningSandbox
    private var programs: [RunningProgram] = []

    /// Installs the files and starts the gateways.
    init(in machines: ManyMachines) async throws {
        self.machines = machines
        let home = try SystemFixture()
        let publicURL = "https://\(ManyMachines.host)"
        sandbox = try await RunningSandbox(
            SystemFixture(sharing: home, ["TMPDIR": home.folder.path]), "--client",
            "gateways=\(publicURL)\(AppSignIn.callback)")
        fixture = SystemFixture(
            sharing: home,
            [
                "LATCHD_PASSWORDS_ARGON2_MEMORY": "8KiB", "LATCHD_DIALECTS_ONYX_REGISTRATION": "true",
                "LATCHD_DIALECTS_IMMICH_ENABLED": "true", "LATCHD_DIALECTS_IMMICH_PREFIX": "/immich/api",
                "LATCHD_SESSIONS_MAXIMUM_PER_PERSON": "10000",
                "LATCHD_GUARDS_ADDRESS_ATTEMPTS": "1000000", "LATCHD_GUARDS_ACCOUNT_ATTEMPTS": "1000000",
                "LATCHD_GUARDS_ADDRESS_REQUESTS": "1000000", "LATCHD_GUARDS_CREDENTIAL_REQUESTS": "1000000",
                "LATCHD_GUARDS_GENERAL_REQUESTS": "1000000", "LATCHD_GUARDS_WRITE_REQUESTS": "1000000",
                "LATCHD_GUARDS_SIGN_INS": "1000000",
            ].merging(AppSignIn.environment(sandbox)) { $1 })
        relay = try PausableRelay([21, 22].map { (machines.address($0 + 10), machines.address($0)) })
        try machines.folder.write("*:*:latchd:latchd:\(DatabaseMachine.password)\n", to: "pgpass")
        try machines.folder.write(Base64URL.encode(SecureRandom.bytes(32)) + "\n", to: "bridge.key")
        try machines.folder.write(
            String(contentsOfFile: machines.authority.own.certificate, encoding: .utf8), to: "database-ca.crt")
        for index in Self.numbers.indices { programs.append(try await start(index)) }
    }

    /// The addresses of the gateways.
    var addresses: [String] { Self.numbers.map { "http://\(machines.address($0)):2283" } }

    private func configuration(_ index: Int) throws -> String {
        let path = try machines.installGateway(Self.numbers[index])
        guard index == 2 else { return path }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let relays = "&hostaddr=\(machines.address(31)),\(machines.address(32))&connect_timeout"
        return try machines.folder.write(text.replacing("&connect_timeout", with: relays), to: "gateway-13.yaml")
    }

    private func begin(_ index: Int) throws -> RunningProgram {
        try RunningProgram(
            Products.path("latchd"), ["serve", "--config", configuration(index)], environment: fixture.environment)
    }

    private func start(_ index: Int) async throws -> RunningProgram {
        let program = try begin(index)
        try await program.line(containing: "Listening.")
        return program
    }

    /// Kills a gateway, and starts it again after a while.
    func kill(_ index: Int, for duration: Duration) async throws {
        programs[index].send(SIGKILL)
        await programs[index].waitForExit()
        try await Task.sleep(for: duration)
        programs[index] = try await start(index)
    }

    /// Restarts a gateway as `systemctl restart` does. Returns its exit status.
    func restart(_ index: Int) async throws -> Int32 {
        programs[index].send(SIGTERM)
        let status = await programs[index].waitForExit()
        programs[index] = try await start(index)
        return status
    }

    /// Ends a gateway as an operator does, and tries to start it. Returns what the new process said.
    func tryRestart(_ index: Int) async throws -> (status: Int32, output: String) {
        programs[index].send(SIGTERM)
        await programs[index].waitForExit()
        let program = try begin(index)
        return (await program.waitForExit(), program.output)
    }

    /// Starts a gateway that was ended.
    func resume(_ index: Int) async throws { programs[index] = try await start(index) }

    /// Ends everything.
    func end() async {
        for program in programs {
            program.send(SIGTERM)
            await program.waitForExit()
        }
        await sandbox.end()
    }
}
