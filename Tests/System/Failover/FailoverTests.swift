import Foundation
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
}
