import Foundation
import TestSupport
import Testing

/// Ten thousand clients that only hold on, and fewer descriptors than clients.
@Suite("Idle connections", .blocking, .serialized, .inTurn, .timeLimit(.minutes(20)))
struct IdleConnectionsTests {
    private static let connectionCount = 10_000
    /// The test holds one end of each connection; some hundred more are for other tests in this process.
    private static let hasRoom = Descriptors.raiseLimit() >= connectionCount + 500

    /// A silent client may stay for as long as the test needs.
    private static let patient = [
        "LATCHD_LOOPS": "2", "LATCHD_LIMITS_CONNECTIONS_PER_ADDRESS": "100000",
        "LATCHD_LIMITS_HEADER_TIMEOUT": "1h", "LATCHD_LIMITS_IDLE": "1h", "LATCHD_LOG_LEVEL": "warning",
    ]

    @Test(
        "ten thousand connections, half of them after a response, use little memory while others are served",
        .enabled(if: hasRoom, "The hard limit of descriptors is below 10500."))
    func idleConnections() async throws {
        let fixture = try SystemFixture(Self.patient)
        let gateway = try await fixture.startGatewayWithPerson()
        #expect(try await fixture.signIn(to: gateway).status == 0)
        let before = try gateway.use()

        var sockets: [RawSocket] = []
        for index in 0..<Self.connectionCount {
            let socket = try RawSocket(port: gateway.port)
            if index.isMultiple(of: 2) {
                try socket.write(Self.alive)
                #expect(try socket.readResponse().body == #"{"status":"alive"}"#)
            }
            sockets.append(socket)
        }
        try await gateway.until { $0.descriptors >= before.descriptors + Self.connectionCount }
        let during = try gateway.use()

        #expect(try await fixture.latch("whoami").status == 0)
        #expect(try await fixture.signIn(to: gateway).status == 0)
        for socket in sockets where Int.random(in: 0..<100) == 0 {
            try socket.write(Self.alive)
            #expect(try socket.readResponse().body == #"{"status":"alive"}"#)
        }
        let each = (during.residentKiB - before.residentKiB) * 1024 / Self.connectionCount
        print("Resident memory of \(Self.connectionCount) idle connections: \(each) bytes each.")
        #expect(each < 16_384)
        #expect(!gateway.program.output.contains("limit is reached"))

        sockets.removeAll()
        try await gateway.until { $0.descriptors <= before.descriptors + 8 }
    }

    @Test("with fewer descriptors than clients the others wait, with one log line per loop, and no client is lost")
    func limited() async throws {
        let fixture = try SystemFixture(Self.patient)
        let gateway = try await fixture.startGateway(descriptors: 400)
        try await gateway.program.line(containing: "Stop:")
        let before = try gateway.use()
        let old = try RawSocket(port: gateway.port)

        for _ in 0..<5 {
            var sockets = try (0..<600).map { _ in try RawSocket(port: gateway.port) }
            try await gateway.program.line(containing: "The connection limit is reached")
            try old.write(Self.alive)
            #expect(try old.readResponse().body == #"{"status":"alive"}"#)
            #expect(try gateway.use().descriptors < 400)
            let late = try RawSocket(port: gateway.port)
            try late.write(Self.alive)
            sockets.removeAll()
            #expect(try late.readResponse().body == #"{"status":"alive"}"#)
            try await gateway.until { $0.descriptors <= before.descriptors + 8 }
        }

        let warnings = gateway.program.output.components(separatedBy: "The connection limit is reached").count - 1
        // Two loops, once a minute each; a machine under load may take more than one.
        #expect((1...6).contains(warnings))
        gateway.program.send(SIGTERM)
        #expect(await gateway.program.waitForExit() == 0)
    }

    @Test("latchd raises its descriptor limit to the maximum and logs the number")
    func raised() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGateway()
        let line = try await gateway.program.line(containing: "Listening.")
        let limits = try String(contentsOfFile: "/proc/\(gateway.program.id)/limits", encoding: .utf8)
        let openFiles = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
            .split(separator: " ")
        #expect(openFiles[3] == openFiles[4])
        #expect(line.contains("descriptors=\(openFiles[3])"))
        #expect(line.contains("connections="))
    }

    private static let alive = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
}
