import Foundation
import TestSupport
import Testing

/// Thousands of clients of the built program that leave in the middle.
@Suite("Aborted requests", .blocking, .serialized, .inTurn, .timeLimit(.minutes(20)))
struct AbortTests {
    private static let form = "username=ada%40example.org&password=wrong+one"

    private static let stages = [
        "", "POST /api/auth", "POST /api/auth/mobile/login HTTP/1.1\r\nHost: a\r\nX: y",
        "POST /api/auth/mobile/login HTTP/1.1\r\nHost: a\r\nContent-Length: 16000\r\n\r\n" + form,
        "POST /api/auth/mobile/login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nuser",
        "POST /api/auth/mobile/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(form.utf8.count)\r\n\r\n" + form,
        "GET /api/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer nobody\r\n\r\n",
        "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\nGET /readyz HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    @Test("ten thousand aborted requests leave the number of descriptors and the memory unchanged")
    func freesEverything() async throws {
        let fixture = try SystemFixture(["LATCHD_LOG_LEVEL": "warning"])
        let gateway = try await fixture.startGatewayWithPerson()
        let first = try gateway.use()
        // The first ones fill what is kept for later, such as free memory and tables.
        try await abort(2_000, gateway)
        try await gateway.until { $0.descriptors <= first.descriptors + 8 }
        let before = try gateway.use()

        try await abort(8_000, gateway)
        try await gateway.until { $0.descriptors <= before.descriptors + 8 }
        let after = try gateway.use()

        print("Resident memory: \(before.residentKiB) KiB, after 8000 aborted requests \(after.residentKiB) KiB.")
        #expect(after.residentKiB < before.residentKiB + 8_192)
        let socket = try RawSocket(port: gateway.port)
        try socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try socket.readResponse().head.hasPrefix("HTTP/1.1 200 "))
    }

    private func abort(_ count: Int, _ gateway: RunningGateway) async throws {
        for batch in 0..<count / 100 {
            var sockets: [RawSocket] = []
            for index in 0..<100 {
                let socket = try RawSocket(port: gateway.port)
                try socket.write(Self.stages[index % Self.stages.count])
                if (index / Self.stages.count + batch).isMultiple(of: 2) { socket.resetAtEnd() }
                sockets.append(socket)
            }
        }
    }
}
