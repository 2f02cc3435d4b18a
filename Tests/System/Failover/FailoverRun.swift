import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// All machines of the example on loopback, clients that work, and the faults.
final class FailoverRun {
    private static let password = "the-first-password-4711"
    private static let email = "somebody-else@example.org"

    let record = FailoverRecord()
    private var random = SeededRandom(for: "Fail-over")
    private let machines: ManyMachines
    private let hasDisks: Bool
    private let databases: DatabasePair
    private let gateways: ThreeGateways
    private let proxies: [RunningProgram]
    private let directClient: DirectGatewayClient
    private var people: [LoadPerson] = []
    private var codes: Task<(tokens: [String], unclear: Int), any Error>?
    private var watch: Task<Int, any Error>?
    private var load: [Task<Void, any Error>] = []

    init() async throws {
        machines = try await ManyMachines()
        hasDisks = try await MemoryDisk.arePossible()
        if !hasDisks { print("The disk of the primary is not filled: that needs root and 'unshare --mount'.") }
        databases = try await DatabasePair(in: machines, diskSize: hasDisks ? "2g" : nil)
        gateways = try await ThreeGateways(in: machines)
        proxies = [try await machines.startProxy(9), try await machines.startProxy(10)]
        directClient = DirectGatewayClient(addresses: gateways.addresses, client: try HTTPClient())
        for proxy in [9, 10] {
            try await eventually { [machines] in try await machines.status(proxy, "/api/me") == "403" }
        }
    }

    /// The faults in a random order: so many killed gateways, a tenth as many killed primaries, and at least two.
    func plan(kills: Int) -> [FaultKind] {
        let counts: [(FaultKind, Int)] = FaultKind.allCases.map { kind in
            switch kind {
            case .gatewayKilled: (kind, kills)
            case .primaryKilled: (kind, max(2, kills / 10))
            case .diskFull where !hasDisks: (kind, 0)
            default: (kind, max(1, kills / 50))
            }
        }
        return counts.flatMap { Array(repeating: $0.0, count: $0.1) }.shuffled(using: &random)
    }

    // MARK: - Clients

    /// Registers people, half of them through each proxy, and starts their programs.
    func startClients(_ count: Int = 8) async throws {
        let authorities = CertificateAuthorities.only(pemFile: machines.authority.own.certificate)
        for number in 0..<count {
            let (email, proxy) = ("person-\(number)@example.org", 9 + number % 2)
            let client = ProxyClient(
                name: "\(email) behind \(proxy == 9 ? "HAProxy" : "nginx")",
                address: "https://\(machines.address(proxy)):\(ManyMachines.port)",
                client: try HTTPClient(.init(authorities: authorities)), record: record)
            try await register(email, client)
            if number == 0 { try await register(Self.email, client) }
            people.append(LoadPerson(email, password: Self.password, client, random.split()))
        }
        load = people.map { person in Task { try await person.run() } }
        let app = AppSignIn(
            address: "https://\(ManyMachines.host)", sandbox: gateways.sandbox, client: try HTTPClient())
        let codeLoad = CodeLoad(app: app, addresses: directClient.addresses, record: record)
        codes = Task { [random = random.split()] in try await codeLoad.run(random) }
        let revocations = RevocationWatch(directClient: directClient, record: record)
        watch = Task { [random = random.split()] in try await revocations.run(random) }
        try await record.everyClientWorks()
    }

    private func register(_ email: String, _ client: ProxyClient) async throws {
        let response = try await client.send(
            .writes, "/api/auth/register", json: ["email": .string(email), "password": .string(Self.password)])
        try #require(response?.status == .created)
    }

    // MARK: - Faults

    /// Causes one fault, and waits until every client works again.
    func cause(_ kind: FaultKind) async throws {
        record.begin(kind)
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...500, using: &random)))
        let victim = Int.random(in: 0..<3, using: &random)
        let pause = Duration.milliseconds(Int.random(in: 100...2_000, using: &random))
        switch kind {
        case .gatewayKilled: try await gateways.kill(victim, for: pause)
        case .primaryKilled: try await databases.promote()
        case .networkCut: try await cut(for: pause)
        case .databasePaused: try await databases.pause(for: pause * 4)
        case .diskFull: try await databases.fillDisk(for: pause)
        case .migration: try await migrate(victim)
        case .rollingRestart: try await restartAll()
        }
        try await waitForRecovery()
        if kind == .primaryKilled {
            try await databases.rejoin()
            try await waitForRecovery()
        }
        try #require(record.violations == [], "LATCHSTRING_SEED=\(random.seed)")
    }

    private func waitForRecovery() async throws {
        try await eventually { [directClient] in await directClient.areReady() }
        try await eventually { [self] in try await areUsed() }
        try await record.everyClientWorks()
    }

    /// Whether HAProxy uses every gateway, as its metrics say.
    private func areUsed() async throws -> Bool {
        let response = try await directClient.client.send(
            ClientRequest(url: "http://\(machines.address(9)):8405/metrics"))
        return String(decoding: response.body, as: UTF8.self)
            .contains(#"haproxy_backend_active_servers{proxy="gateways"} 3"#)
    }

    /// Cuts the third gateway off. It must not accept a session that ends meanwhile, nor answer from memory.
    private func cut(for pause: Duration) async throws {
        let token = try await token()
        #expect(await directClient.status(token, at: directClient.addresses[2]) == .ok)
        try gateways.relay.pause()
        let ended = try await directClient.signOut(token, at: directClient.addresses[0])
        #expect(ended.status == .noContent)
        record.end(token, isConfirmed: true, "sign-out at the first gateway")
        try await Task.sleep(for: FailoverRecord.limit)
        #expect(await directClient.status(token, at: directClient.addresses[2]) == .serviceUnavailable)
        try await Task.sleep(for: pause)
        try gateways.relay.resume()
    }

    /// A new session at the first gateway, of a person that no client has.
    private func token() async throws -> String {
        let response = try await directClient.signIn(Self.email, Self.password, at: directClient.addresses[0])
        let token = try JSONValue(parsing: response.body)["access_token"]?.string
        return try #require(token, "\(response.status) \(String(decoding: response.body, as: UTF8.self))")
    }

    /// Migrates the database as a newer version does. The running gateways go on; one that is started again says why it
    /// cannot.
    private func migrate(_ victim: Int) async throws {
        _ = try await databases.query(
            """
            BEGIN;
            LOCK TABLE schema_version IN EXCLUSIVE MODE;
            ALTER TABLE people ADD COLUMN newer text;
            UPDATE schema_version SET version = version + 1;
            COMMIT;
            """)
        try await record.everyClientWorks()
        let (status, output) = try await gateways.tryRestart(victim)
        #expect(status != 0 && output.contains("newer"), "\(output)")
        _ = try await databases.query(
            """
            BEGIN;
            LOCK TABLE schema_version IN EXCLUSIVE MODE;
            ALTER TABLE people DROP COLUMN newer;
            UPDATE schema_version SET version = version - 1;
            COMMIT;
            """)
        try await gateways.resume(victim)
        #expect(record.events.last?.errors == 0, "a migration is not noticed")
    }

    private func restartAll() async throws {
        for index in ThreeGateways.numbers.indices {
            #expect(try await gateways.restart(index) == 0)
            try await waitForRecovery()
        }
        #expect(record.events.last?.errors == 0, "a rolling restart is not noticed")
    }

    // MARK: - The end

    /// Stops the clients and asks every gateway for all that was confirmed.
    func check() async throws {
        record.stop()
        for task in load { try await task.value }
        let refusals = try await watch?.value ?? 0
        let (tokens, unclear) = try await codes?.value ?? ([], 0)
        var knowledge: [LoadPerson.Knowledge] = []
        for person in people { knowledge.append(await person.knowledge) }
        let check = FinalCheck(directClient: directClient, record: record, people: knowledge, tokens: tokens)
        await withTaskGroup { group in
            for address in directClient.addresses { group.addTask { await check.run(at: address) } }
        }
        print(
            "\(record.answers) answers, \(record.ended.count) sessions ended, \(refusals) refusals of ended sessions,",
            "\(tokens.count) one-time codes exchanged, \(unclear) exchanges without a clear answer.")
        print(FailoverTable(record.events).text)
        #expect(record.violations == [], "LATCHSTRING_SEED=\(random.seed)")
        #expect(!tokens.isEmpty && !record.ended.isEmpty && refusals > 0)
    }

    /// Ends all programs.
    func end() async {
        record.stop()
        for task in load { _ = await task.result }
        _ = await (watch?.result, codes?.result)
        await gateways.end()
        for proxy in proxies {
            proxy.send(SIGTERM)
            await proxy.waitForExit()
        }
        await databases.end()
    }
}
