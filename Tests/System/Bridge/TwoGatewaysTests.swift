import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// Several gateways that share their one-time codes.
@Suite("Two gateways", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct TwoGatewaysTests {
    @Test("OX-15 each gateway completes sign-ins of the other, at every step", arguments: ["redis", "database"])
    func crossGatewaySignIn(_ codes: String) async throws {
        let gates = try await TwoGateways(codes: codes)
        for (begin, back, exchange) in [
            (gates.one, gates.other, gates.one), (gates.other, gates.one, gates.one),
            (gates.one, gates.one, gates.other),
        ] {
            let callback = try await gates.authorize(at: begin, backAt: back)
            #expect(callback.link["state"] == "the app's")
            let response = try await gates.exchange(callback, at: exchange)
            #expect(response.status == .ok)
            let token = try #require(try JSONValue(parsing: response.body)["access_token"]?.string)
            #expect(try await gates.isLive(token, at: gates.one))
            #expect(try await gates.isLive(token, at: gates.other))
        }
        await gates.close()
    }

    @Test(
        "OX-4 OX-15 of a hundred exchanges of one code at both gateways, one gets a token",
        arguments: ["redis", "database"])
    func once(_ codes: String) async throws {
        let gates = try await TwoGateways(codes: codes)
        let callback = try await gates.authorize(at: gates.one, backAt: gates.other)

        let answers = try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    try await gates.exchange(callback, at: number.isMultiple(of: 2) ? gates.one : gates.other).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.count { $0 == .ok } == 1)
        #expect(answers.count { $0 == .unauthorized } == 99)
        await gates.close()
    }

    @Test("OX-15 without Redis the response has Retry-After, sessions still work, and sign-in works when it is back")
    func outage() async throws {
        let gates = try await TwoGateways()
        let before = try await gates.authorize(at: gates.one, backAt: gates.one)
        let signedIn = try await gates.exchange(before, at: gates.other)
        let token = try #require(try JSONValue(parsing: signedIn.body)["access_token"]?.string)
        let waiting = try await gates.authorize(at: gates.one, backAt: gates.one)
        try await #require(gates.redis).stop()

        let response = try await gates.exchange(waiting, at: gates.one)
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
        let callback = try await gates.authorize(at: gates.one, backAt: gates.other)
        #expect(callback.code == nil)
        #expect(callback.link["error"] != nil && callback.link["state"] == "the app's")
        #expect(try await gates.isLive(token, at: gates.one))

        try await #require(gates.redis).start()
        // Tried again 2 s after the last failure at the latest; each try of a whole sign-in takes a while itself.
        var again = try await gates.authorize(at: gates.one, backAt: gates.other)
        while again.code == nil { again = try await gates.authorize(at: gates.one, backAt: gates.other) }
        var exchanged = try await gates.exchange(again, at: gates.one)
        while exchanged.status == .serviceUnavailable { exchanged = try await gates.exchange(again, at: gates.one) }
        #expect(exchanged.status == .ok)
        await gates.close()
    }
}
