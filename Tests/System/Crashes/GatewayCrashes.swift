import Foundation
import HTTPMessages
import TestSupport
import Testing

/// A gateway that is killed and started again on one database, its clients, and what they know.
final class GatewayCrashes {
    private let fixture: SystemFixture
    private var random = SeededRandom(for: "Kills of the gateway")
    private var gateway: RunningGateway
    /// The last one's sessions are ended by command only.
    private let people = ["ada", "ben", "cyd", "dee", "eve"].map { "\($0)@example.org" }
    private(set) var known: [KnownTokens]
    /// How many requests the kills have cut off that might have changed a token.
    private(set) var unclear = 0
    /// How many tokens a command has ended.
    private(set) var revoked = 0
    /// How many gateways were killed before they listened.
    private(set) var killedWhileStarting = 0

    init() async throws {
        fixture = try SystemFixture([
            "LATCHD_PASSWORDS_ARGON2_MEMORY": "8KiB", "LATCHD_DIALECTS_ONYX_REGISTRATION": "true",
            "LATCHD_GUARDS_ADDRESS_ATTEMPTS": "1000000", "LATCHD_GUARDS_ACCOUNT_ATTEMPTS": "1000000",
            "LATCHD_GUARDS_GENERAL_REQUESTS": "1000000", "LATCHD_SESSIONS_MAXIMUM_PER_PERSON": "10000",
        ])
        known = people.map { _ in KnownTokens() }
        gateway = try await fixture.startGateway()
        for email in people {
            let added = try await fixture.latchd("user", "add", email, "--password-stdin", input: CrashClient.password)
            try #require(added.status == 0, "\(added.errors)")
        }
    }

    /// Has all clients work, at times a command revoke beside them, and kills at a random moment.
    func killUnderLoad() async throws {
        let last = people.count - 1
        let isRevoking = random.chance(20)
        if isRevoking {
            known[last] = await client(last, isKilled: false) { for _ in 0..<3 { try $0.signIn() } }.value
        }
        let clients = (0..<last).map { person in client(person, isKilled: true) { try $0.work() } }
        let revocation = isRevoking ? try someRevocation(of: last) : nil
        let confirmation = Task { [fixture] in try await revocation?.run(in: fixture) }
        try await Task.sleep(for: moment(within: 80_000))
        await gateway.kill()
        for (person, client) in clients.enumerated() { known[person] = await client.cancellableValue }

        try await confirmation.cancellableValue
        for token in revocation?.tokens ?? [] { known[last].end(token) }
        revoked += revocation?.tokens.count ?? 0
        unclear += known.reduce(0) { $0 + $1.unclear.count }
    }

    /// A moment at which something is in progress: from 0.5 ms to a number of microseconds, on the machine for which the
    /// limits are written, and later on a slower one.
    private func moment(within most: Double) -> Duration {
        .microseconds(Double.random(in: 500...most, using: &random) * MachineSpeed.slowness)
    }

    /// At times starts the gateway and kills it while it starts, while it takes up what the last one left in the log of the
    /// database.
    func killWhileStarting() async throws {
        guard random.chance(30) else { return }
        let starting = try fixture.beginGateway()
        try await Task.sleep(for: moment(within: 40_000))
        starting.send(SIGKILL)
        await starting.waitForExit()
        killedWhileStarting += 1
    }

    /// Starts the gateway again, which must listen, and asks it about all that the clients know.
    func restartAndVerify(all: Bool) async throws {
        gateway = try await fixture.startGateway()
        let clients = people.indices.map { client($0, isKilled: false) { try $0.verify(all: all) } }
        for (person, client) in clients.enumerated() { known[person] = await client.cancellableValue }
        try #require(known.flatMap(\.violations) == [], "LATCHSTRING_SEED=\(random.seed)")
    }

    /// Ends every session by `latchd sessions revoke --all`.
    func revokeEverything() async throws {
        let result = try await fixture.latchd("sessions", "revoke", "--all")
        try #require(result.status == 0, "\(result.errors)")
        for person in people.indices {
            revoked += known[person].live.count
            known[person].endAll()
        }
    }

    /// Has another program read the files of the killed gateway, copied so that the gateway finds them as they were.
    func checkIntegrity() async throws {
        let script = """
            import pathlib, shutil, sqlite3, sys
            source, target = map(pathlib.Path, sys.argv[1:])
            shutil.copytree(source, target)
            for (line,) in sqlite3.connect(target / "latchd.db").execute("PRAGMA integrity_check"): print(line)
            shutil.rmtree(target)
            """
        let result = try await Program.run(
            "python3", ["-c", script, fixture.folder.file("state/latchd"), fixture.folder.file("copy")])
        try #require(result.output == "ok\n", "\(result.output) \(result.errors)")
    }

    /// What a command shall revoke of the person's sessions: one or all.
    private func someRevocation(of person: Int) throws -> Revocation {
        let live = known[person].live.keys.sorted()
        if random.chance(50) { return Revocation(email: people[person], tokens: live, device: nil) }
        let token = try #require(live.randomElement(using: &random))
        return Revocation(email: people[person], tokens: [token], device: known[person].devices[token])
    }

    private func client(
        _ person: Int, isKilled: Bool, _ work: @escaping @Sendable (inout CrashClient) throws -> Void
    ) -> Task<KnownTokens, Never> {
        let (email, known, random, port) = (people[person], known[person], random.split(), gateway.port)
        return Task {
            await CrashClient.run(email, knowing: known, random, port: port, isKilled: isKilled, work)
        }
    }
}
