import Foundation
import TestSupport
import Testing

/// `latch` killed before every system call by which it changes anything, while it changes the addresses of an account or
/// switches to another one.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10))) struct EndpointKillTests {
    /// What is killed.
    enum Command: String, CaseIterable, Sendable {
        case add, remove, prefer, addWifi, removeWifi

        func arguments(_ addresses: [String]) -> [String] {
            switch self {
            case .add: ["endpoints", "add", addresses[0], "--header", "X-Key: \(EndpointKillTests.secret)"]
            case .remove: ["endpoints", "remove", addresses[0]]
            case .prefer: ["endpoints", "prefer", addresses[1]]
            case .addWifi: ["endpoints", "wifi", "add", "Home sweet home"]
            case .removeWifi: ["endpoints", "wifi", "remove", "Home sweet home"]
            }
        }
    }

    fileprivate static let secret = "a key of the proxy in front"

    /// The stored addresses, and the accounts without the times at which their tokens are renewed.
    private static let script = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1], timeout=\(SuccessTimeout.seconds))
        database.row_factory = sqlite3.Row
        for table in ("accounts", "endpoints"):
            for row in database.execute("SELECT * FROM " + table):
                print(table, {k: row[k] for k in row.keys() if k not in ("refresh_after", "expires_at")})
        """

    private func latch(_ arguments: [String], _ environment: [String: String]) async throws -> Program.Result {
        try await Program.run(Products.path("latch"), arguments, environment: environment)
    }

    /// Copies the files of the client, and returns an environment with them.
    private func copy(of fixture: SystemFixture, as name: String) throws -> [String: String] {
        var environment = fixture.environment
        let (data, copy) = (try #require(environment["XDG_DATA_HOME"]), fixture.folder.file("data-\(name)"))
        try FileManager.default.copyItem(atPath: data, toPath: copy)
        environment["XDG_DATA_HOME"] = copy
        return environment
    }

    private struct Content: Equatable {
        let database: String
        let secrets: Data?
    }

    /// The content of the accounts database, and of the file with the secrets.
    private func content(_ environment: [String: String]) async throws -> Content {
        let data = try #require(environment["XDG_DATA_HOME"]) + "/latchstring/"
        let result = try await Program.run("python3", ["-c", Self.script, data + "latchstring.db"])
        try #require(result.status == 0, "\(result.errors)")
        return Content(
            database: result.output, secrets: FileManager.default.contents(atPath: data + "secrets.sealed"))
    }

    /// Runs `check` after a kill at every point.
    private func kill(
        _ arguments: [String], in fixture: SystemFixture,
        _ check: @escaping @Sendable (_ environment: [String: String], _ what: String) async throws -> Void
    ) async throws {
        let points = try await SystemCalls.points(
            named: SystemCalls.changes, of: Products.path("latch"), arguments,
            environment: try copy(of: fixture, as: "trace"), input: "")
        try #require(points.count > 5)
        let reached = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var reached = 0
                    for (index, point) in points.enumerated() where index % 4 == worker {
                        let environment = try copy(of: fixture, as: "\(point.name)-\(point.number)")
                        let isKilled = try await SystemCalls.kill(
                            at: point, Products.path("latch"), arguments, environment: environment, input: "")
                        if isKilled { reached += 1 }
                        try await check(environment, "\(arguments.prefix(3)), killed before \(point)")
                    }
                    return reached
                }
            }
            return try await group.reduce(0, +)
        }
        print("latch \(arguments.prefix(3).joined(separator: " ")): killed at \(reached) of \(points.count) calls.")
        // Which thread does what differs from run to run, so some points are not reached.
        #expect(reached > points.count / 2)
    }

    /// Signs in at one of four gateways with the same database. The others are its other addresses.
    private func start(_ fixture: SystemFixture) async throws -> (gateways: [RunningGateway], addresses: [String]) {
        var gateways = [try await fixture.startGatewayWithPerson()]
        let signedIn = try await fixture.signIn(to: gateways[0])
        try #require(signedIn.status == 0, "\(signedIn.errors)")
        for _ in 0..<3 { gateways.append(try await fixture.startGateway()) }
        return (gateways, gateways.dropFirst().map(\.address))
    }

    private func add(_ addresses: some Sequence<String>, _ fixture: SystemFixture) async throws {
        for address in addresses {
            let added = try await fixture.latch("endpoints", "add", address, "--header", "X-Key: \(Self.secret)")
            try #require(added.status == 0, "\(added.errors)")
        }
    }

    @Test(
        "IM-13 if latch is killed at any step of a switch, accounts and secrets are unchanged, and the next start works"
    )
    func switching() async throws {
        let fixture = try SystemFixture()
        let (gateways, addresses) = try await start(fixture)
        try await add(addresses.prefix(1), fixture)
        let before = try await content(fixture.environment)

        try await kill(["whoami"], in: fixture) { environment, what in
            let after = try await content(environment)
            #expect(after == before, "\(what)")
            let next = try await latch(["whoami"], environment)
            #expect(next.status == 0 && next.errors.isEmpty, "\(what): \(next.errors)")
            #expect(try await content(environment) == before, "\(what)")
        }
        let log = try await fixture.latch("logs").output
        #expect(log.contains("127.0.0.1:\(gateways[1].port)  endpoint"), "\(log)")
    }

    @Test(
        "IM-13 if latch is killed at any step of a change of addresses, the change is complete or absent, and works again",
        arguments: Command.allCases)
    func changes(command: Command) async throws {
        let fixture = try SystemFixture()
        let (gateways, addresses) = try await start(fixture)
        let secrets = try await content(fixture.environment).secrets?.count
        try await add(command == .add ? addresses.dropFirst() : addresses[...], fixture)
        if command == .removeWifi {
            try #require(try await latch(Command.addWifi.arguments(addresses), fixture.environment).status == 0)
        }
        let arguments = command.arguments(addresses)
        let before = try await list(fixture.environment)
        let changed = try copy(of: fixture, as: "changed")
        try #require(try await latch(arguments, changed).status == 0)
        let after = try await list(changed)
        try #require(before != after)

        try await kill(arguments, in: fixture) { environment, what in
            let found = try await list(environment)
            #expect(found == before || found == after, "\(what): \(found)")
            #expect(try await latch(["whoami"], environment).status == 0, "\(what)")
            // A removed secret leaves an address that the same command removes.
            let again = try await latch(arguments, environment)
            let isRepeated = [.add, .remove, .removeWifi].contains(command) && found == after
            #expect(again.status == (isRepeated ? 65 : 0), "\(what): \(again.errors)")
            if command == .add, isRepeated {
                _ = try await latch(Command.remove.arguments(addresses), environment)
                #expect(try await latch(arguments, environment).status == 0, "\(what)")
            }
            #expect(try await list(environment) == after, "\(what)")
            #expect(try await latch(["endpoints", "test"], environment).status == 0, "\(what)")
            for address in addresses { _ = try await latch(["endpoints", "remove", address], environment) }
            #expect(try await content(environment).secrets?.count == secrets, "\(what): a secret is left")
        }
        extendLifetime(gateways)
    }

    /// The addresses and names of networks.
    private func list(_ environment: [String: String]) async throws -> String {
        let result = try await latch(["endpoints", "list"], environment)
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }
}
