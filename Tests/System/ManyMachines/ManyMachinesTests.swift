import Foundation
import TestSupport
import Testing

/// The example for operators with several machines, run by the real programs.
@Suite("The example with many machines", .blocking, .inTurn, .timeLimit(.minutes(10)))
struct ManyMachinesTests {
    @Test func `HAProxy, nginx, PostgreSQL and latchd accept their files`() async throws {
        let machines = try await ManyMachines()
        let haproxy = try await Program.run("/usr/sbin/haproxy", ["-c", "-f", machines.installHAProxy()])
        #expect(haproxy.status == 0 && !haproxy.errors.contains("WARNING"), "\(haproxy.errors)")

        let nginx = try await Program.run(
            "/usr/sbin/nginx", ["-t", "-c", machines.installNginx(), "-e", "stderr"])
        #expect(nginx.status == 0 && !nginx.errors.contains("[warn]"), "\(nginx.errors)")

        for (name, number) in [("db1", 21), ("db2", 22)] {
            let machine = try await DatabaseMachine.install(name, number: number, in: machines)
            for (setting, value) in [
                ("cluster_name", name), ("synchronous_standby_names", "FIRST 1 (db1, db2)"), ("wal_level", "replica"),
            ] {
                let result = try await machine.run("postgres", "-D", machine.configuration, "-C", setting)
                #expect(result.output == value + "\n", "\(result.errors)")
            }
        }

        // A file of SQLite takes the place of PostgreSQL: this test is about the other settings.
        let file = try machines.installGateway(11, database: machines.folder.file("latchd.db"))
        let latchd = try await SystemFixture().latchd("check", "--config", file)
        #expect(latchd.status == 0, "\(latchd.errors)")
    }

    @Test func `the standby confirms every commit, and a promoted one continues without the primary`() async throws {
        let machines = try await ManyMachines()
        let pair = try await DatabasePair(in: machines, diskSize: nil)
        let (first, second) = (pair.primary.machine, pair.standby.machine)
        #expect(
            try await first.psql("-c", "SELECT application_name, sync_state FROM pg_stat_replication").output
                == "db2|sync\n")
        #expect(try await first.psql("-c", "CREATE TABLE confirmed (id int)").status == 0)

        try await pair.promote()
        #expect(try await second.psql("-c", "INSERT INTO confirmed VALUES (1) RETURNING id").output.hasPrefix("1\n"))
        let again = try await second.psql("-f", machines.folder.file("promote.sql"))
        #expect(again.status != 0 && again.errors.contains("This machine is the primary already."))
        let early = try await second.psql("-f", machines.folder.file("synchronous.sql"))
        #expect(early.status != 0 && early.errors.contains("No standby is connected"))
        await pair.end()
    }

    @Test(arguments: [9, 10])
    func `requests continue when a gateway behind HAProxy or nginx dies`(proxy: Int) async throws {
        let machines = try await ManyMachines()
        let fixture = try SystemFixture()
        let database = machines.folder.file("latchd.db")
        var gateways: [RunningProgram] = []
        for number in [11, 12, 13] {
            let program = try RunningProgram(
                Products.path("latchd"), ["serve", "--config", machines.installGateway(number, database: database)],
                environment: fixture.environment)
            try await program.line(containing: "listening")
            gateways.append(program)
        }
        let front = try await machines.startProxy(proxy)
        #expect(try await machines.status(proxy, "/api/me") == "403")
        for path in ["/healthz", "/readyz", "/metrics"] {
            #expect(try await machines.status(proxy, path) == "404")
        }

        gateways[0].send(SIGKILL)
        await gateways[0].waitForExit()
        for _ in 0..<12 {
            #expect(try await machines.status(proxy, "/api/me") == "403")
        }
        if proxy == 9 { try await front.line(containing: "Server gateways/gateway-1 is DOWN") }

        for program in gateways.dropFirst() + [front] {
            program.send(SIGTERM)
            await program.waitForExit()
        }
    }

    @Test(arguments: [9, 10], ["POST", "PATCH", "PUT", "DELETE"])
    func `a request that changes something is sent to one gateway only, also if that one dies during it`(
        proxy: Int, method: String
    ) async throws {
        let machines = try await ManyMachines()
        let requests = try await requestsAtClosingGateways(of: machines, proxy, method)
        #expect(requests == 1)
    }

    @Test(arguments: [9, 10])
    func `a request that reads is sent to other gateways if one dies during it`(proxy: Int) async throws {
        let machines = try await ManyMachines()
        let requests = try await requestsAtClosingGateways(of: machines, proxy, "GET")
        #expect(requests > 1)
    }

    /// Sends one request through a proxy to gateways that all close the connection. Returns how many of them got it.
    private func requestsAtClosingGateways(
        of machines: ManyMachines, _ proxy: Int, _ method: String
    ) async throws -> Int {
        let gateways = try [11, 12, 13].map { try FakeGateway(at: machines.address($0), .closesConnection) }
        let front = try await machines.startProxy(proxy)
        let response = try await machines.request(proxy, method, "/api/me", "%{http_code} %header{retry-after}")
        #expect(response == "503 2")
        front.send(SIGTERM)
        await front.waitForExit()
        return gateways.reduce(0) { $0 + $1.requests }
    }

    @Test(arguments: [9, 10])
    func `a gateway that responds to one path with 503 is used for the others`(proxy: Int) async throws {
        let machines = try await ManyMachines()
        let gateways = try [11, 12, 13].map { try FakeGateway(at: machines.address($0), .answers) }
        let front = try await machines.startProxy(proxy)
        for _ in 0..<6 {
            #expect(try await machines.status(proxy, "/busy") == "503")
            #expect(try await machines.status(proxy, "/api/me") == "200")
        }
        #expect(gateways.reduce(0) { $0 + $1.requests } == 12)
        front.send(SIGTERM)
        await front.waitForExit()
    }

    @Test(arguments: [9, 10])
    func `a request that every gateway closes excludes none of them`(proxy: Int) async throws {
        let machines = try await ManyMachines()
        let gateways = try [11, 12, 13].map { try FakeGateway(at: machines.address($0), .answers) }
        let front = try await machines.startProxy(proxy)
        for _ in 0..<3 {
            #expect(try await machines.status(proxy, "/closed") == "503")
            for _ in 0..<3 { #expect(try await machines.status(proxy, "/api/me") == "200") }
        }
        #expect(gateways.reduce(0) { $0 + $1.requests } > 9)
        front.send(SIGTERM)
        await front.waitForExit()
    }

    @Test func `connections that one address keeps open do not keep others from HAProxy`() async throws {
        let machines = try await ManyMachines()
        let gateways = try [11, 12, 13].map { try FakeGateway(at: machines.address($0), .answers) }
        let front = try await machines.startProxy(9)
        let sockets = try (1...520).map { _ in
            try RawSocket(host: machines.address(9), port: ManyMachines.port, from: machines.address(200))
        }
        // HAProxy sends nothing before a handshake, so there is something to read only where it closed the connection.
        try await eventually {
            sockets.count { socket in
                var state = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
                return poll(&state, 1, 0) == 1
            } == 8
        }
        #expect(try await machines.status(9, "/api/me") == "200")
        #expect(gateways.reduce(0) { $0 + $1.requests } == 1)
        front.send(SIGTERM)
        await front.waitForExit()
    }

    @Test func `nginx sends the name of the gateways to them, whatever Host the client sent`() async throws {
        let machines = try await ManyMachines()
        let gateways = try [11, 12, 13].map { try FakeGateway(at: machines.address($0), .answers) }
        let front = try await machines.startProxy(10)
        let target = "https://\(ManyMachines.host)/api/me"
        let response = try await machines.request(
            10, "GET", "/api/me", "%{http_code}",
            ["--http1.1", "--header", "Host: other.example.org", "--request-target", target])
        #expect(response == "200" && gateways.reduce(0) { $0 + $1.requests } == 1)
        front.send(SIGTERM)
        await front.waitForExit()
    }

    @Test(arguments: [9, 10], ["GET", "POST", "PATCH", "PUT", "DELETE"])
    func `any request is sent to another gateway if the first one cannot be reached`(
        proxy: Int, method: String
    ) async throws {
        let machines = try await ManyMachines()
        let gateways = try [12, 13].map { try FakeGateway(at: machines.address($0), .answers) }
        let front = try await machines.startProxy(proxy)
        // The proxies take one gateway after the other, so that one of these is sent to the first one.
        for _ in 0..<3 {
            #expect(try await machines.request(proxy, method, "/api/me", "%{http_code}") == "200")
        }
        #expect(gateways.reduce(0) { $0 + $1.requests } == 3)
        front.send(SIGTERM)
        await front.waitForExit()
    }
}
