import TestSupport
import Testing

/// The gateway killed at any moment, as by the kernel when memory runs out.
@Suite(.timeLimit(.minutes(10))) struct GatewayCrashTests {
    private static let kills = 200

    @Test("TT-7 OX-14 killed 200 times under load, the gateway loses no token that it gave and revives none that ended")
    func killedUnderLoad() async throws {
        let crashes = try await GatewayCrashes()

        for round in 1...Self.kills {
            try await crashes.killUnderLoad()
            if round % 20 == 0 { try await crashes.checkIntegrity() }
            try await crashes.restartAndVerify(all: round == Self.kills)
            if round % 50 == 25 { try await crashes.revokeEverything() }
        }

        let known = crashes.known
        print(
            "\(Self.kills) kills: \(known.reduce(0) { $0 + $1.answers }) answers,",
            "\(known.reduce(0) { $0 + $1.ended.count }) tokens ended, \(known.reduce(0) { $0 + $1.live.count }) live,",
            "\(known.reduce(0) { $0 + $1.registered.count }) registrations,",
            "\(crashes.unclear) requests cut off, \(crashes.revoked) tokens revoked by command.")
        #expect(known.dropLast().allSatisfy { $0.ended.count > Self.kills && $0.registered.count > 10 })
        #expect(crashes.unclear > 10 && crashes.revoked > 10)
    }
}
