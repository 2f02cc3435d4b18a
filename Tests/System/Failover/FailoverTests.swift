import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// Three gateways, two databases and two proxies with the files of `Integrations/many-machines`, while they fail.
///
/// `LATCHSTRING_FAILOVER_KILLS` is the number of gateways that are killed, 6 without it. `make failover` kills 200.
@Suite("Fail-over", .blocking, .inTurn, .timeLimit(.minutes(55)))
struct FailoverTests {
    private static let kills =
        ProcessInfo.processInfo.environment["LATCHSTRING_FAILOVER_KILLS"].flatMap { Int($0) } ?? 6

    @Test func `no confirmed change is lost and no ended session is accepted, whatever fails`() async throws {
        let run = try await FailoverRun()
        try await attempt {
            try await run.startClients()
            for fault in run.plan(kills: Self.kills) { try await run.cause(fault) }
            try await run.check()
        } finally: {
            await run.end()
        }
    }

    @Test func `without the standby tokens are read, and writes get 503 and may have been made`() async throws {
        let machines = try await ManyMachines()
        let databases = try await DatabasePair(in: machines, diskSize: nil)
        let gateways = try await ThreeGateways(in: machines)
        let client = DirectGatewayClient(addresses: gateways.addresses, client: try HTTPClient())
        let (address, email, password) = (gateways.addresses[0], "ada@example.org", "the-first-password-4711")
        let registered = try await client.client.send(
            ClientRequest(
                method: .post, url: address + "/api/auth/register",
                headers: ["Host": ManyMachines.host, "Content-Type": "application/json"],
                body: Array(#"{"email":"\#(email)","password":"\#(password)"}"#.utf8)))
        #expect(registered.status == .created)
        var tokens: [String] = []
        for _ in 0..<2 {
            let response = try await client.signIn(email, password, at: address)
            tokens.append(try #require(try JSONValue(parsing: response.body)["access_token"]?.string))
        }

        await databases.stopStandby()
        let clock = ContinuousClock()
        for isSignIn in [true, false] {
            let start = clock.now
            let response =
                isSignIn
                ? try await client.signIn(email, password, at: address)
                : try await client.signOut(tokens[0], at: address)
            let duration = clock.now - start
            #expect(response.status == .serviceUnavailable && response.headers["Retry-After"] != nil)
            #expect(duration > .seconds(3.5) && duration < .seconds(12), "\(duration)")
            #expect(await client.status(tokens[1], at: address) == .ok)
            #expect(await client.areReady())
        }

        try await databases.continueAlone()
        try await eventually { try await client.signIn(email, password, at: address).status == .ok }
        await gateways.end()
        await databases.end()
    }
}
