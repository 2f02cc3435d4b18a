import Foundation
import TestSupport
import Testing

/// Many programs with one account.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct FiftyProcessesTests {
    @Test("OX-11 fifty processes with one expired token send one refresh request")
    func oneRefresh() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGatewayWithPerson()
        _ = try await fixture.signIn(to: gateway)
        let token = try await fixture.latch("token").output
        try await fixture.expireToken()
        let before = try gateway.refreshes()

        let answers = try await withThrowingTaskGroup(of: Program.Result.self) { group in
            for _ in 0..<50 { group.addTask { try await fixture.latch("token") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.allSatisfy { $0.status == 0 && $0.output == token }, "\(answers.map(\.errors))")
        #expect(try gateway.refreshes() == before + 1)
    }

    @Test("TT-7 OX-11 fifty processes with a revoked session send one request, and all ask for a new sign-in")
    func oneRefusal() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGatewayWithPerson()
        _ = try await fixture.signIn(to: gateway)
        _ = try await fixture.latchd("sessions", "revoke", "--all")
        try await gateway.untilRevocationShows()
        try await fixture.expireToken()
        let before = try gateway.refreshes()

        let answers = try await withThrowingTaskGroup(of: Program.Result.self) { group in
            for _ in 0..<50 { group.addTask { try await fixture.latch("token") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.allSatisfy { $0.status == 77 && $0.errors.contains("latch login") })
        #expect(try gateway.refreshes() == before + 1)
    }
}

extension SystemFixture {
    /// Makes the client believe that the token's time is up.
    fileprivate func expireToken() async throws {
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1], timeout=\(SuccessTimeout.seconds))
            assert database.execute("UPDATE accounts SET refresh_after = 0").rowcount == 1
            database.commit()
            """
        let result = try await Program.run(
            "python3", ["-c", script, folder.file("data/latchstring/latchstring.db")])
        try #require(result.status == 0, "\(result.errors)")
    }
}

extension RunningGateway {
    /// How many refreshes came over the wire, whatever they were answered.
    fileprivate func refreshes() throws -> Int {
        let socket = try RawSocket(port: port)
        try socket.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return try socket.readToEnd().split(separator: "\n").filter {
            $0.hasPrefix("latchd_http_requests_total{") && $0.contains("/auth/mobile/refresh")
        }.reduce(0) { $0 + (Int($1.split(separator: " ").last?.trimmingCharacters(in: .whitespaces) ?? "") ?? 0) }
    }

    /// Waits until this gateway noticed that another program revoked its only session.
    fileprivate func untilRevocationShows() async throws {
        while true {
            let socket = try RawSocket(port: port)
            try socket.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            if try socket.readToEnd().contains("latchd_sessions_cached 0") { return }
            await Task.yield()
        }
    }
}
