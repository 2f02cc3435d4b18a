import Foundation
import TestSupport
import Testing

/// The power goes while the gateway works.
///
/// The real program runs once under strace, from an empty disk to an orderly end; what it wrote and flushed is followed
/// to any moment of that run, all that was not flushed is dropped in full or in part, and the real program starts on
/// what is left.
@Suite(.blocking, .timeLimit(.minutes(10))) struct GatewayPowerLossTests {
    private static let cuts = 200

    @Test("after a power loss at any time, everything that the gateway's responses confirmed is still stored")
    func powerLoss() async throws {
        var random = SeededRandom(for: "Power cuts of the gateway")
        let work = try await GatewayUnderTrace.run(&random)
        let promises = GatewayPromises(work.events)
        try #require(promises.given.count > 60 && promises.ended.count > 40 && promises.registered.count > 10)
        let moments = (0..<Self.cuts).map { _ in Int.random(in: 0...work.events.count, using: &random) }.sorted()

        var disk = Disk(root: work.root)
        var followed = 0
        var confirmed = 0
        for moment in moments {
            for number in followed..<moment { disk.follow(work.events[number], number: number) }
            followed = moment
            let remains = try #require(Disk.UnflushedData.allCases.randomElement(using: &random))
            let fixture = try SystemFixture(GatewayUnderTrace.settings)
            try FileManager.default.createDirectory(
                atPath: fixture.folder.file("state"), withIntermediateDirectories: true)
            try FileManager.default.removeItem(atPath: fixture.folder.file("state"))
            try disk.cutPower(leaving: remains, &random, to: fixture.folder.file("state"))
            confirmed += try await check(
                fixture, promises, at: moment,
                "cut before event \(moment), leaving \(remains), LATCHSTRING_SEED=\(random.seed)")
        }
        print("\(Self.cuts) power cuts in \(work.events.count) events, \(confirmed) promises kept.")
    }

    /// Starts the gateway on what is left and asks it for what was promised; how much that was.
    private func check(_ fixture: SystemFixture, _ promises: GatewayPromises, at moment: Int, _ what: String)
        async throws -> Int
    {
        let gateway = try await fixture.startGateway()
        var known = KnownTokens()
        for (token, given) in promises.given where given < moment {
            let end = promises.ended[token]
            if let answered = end?.answered, answered < moment {
                known.endedLately.insert(token)
            } else if let end, end.asked < moment {
                known.unclear.insert(token)
            } else {
                known.live[token] = ""
            }
        }
        known.registeredLately = promises.registered.filter { $0.value.answered.map { $0 < moment } ?? false }.map(
            \.key)
        let count = known.live.count + known.endedLately.count + known.registeredLately.count
        let found = await CrashClient.run(what, knowing: known, SeededRandom(seed: 0), port: gateway.port) {
            try $0.verify(all: false)
        }
        try #require(found.violations == [], "\(what)")
        await gateway.kill()
        return count
    }
}
