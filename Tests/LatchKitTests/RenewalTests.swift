import Desktop
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

@Suite("Renewal before expiry", .timeLimit(.minutes(20)))
struct RenewalTests {
    private let fixture: OnyxFixture

    init() throws {
        fixture = try OnyxFixture()
    }

    /// Lets a program renew until it waits for the `count`th time. Each wait before moves the clock to its date.
    private func run(_ latch: LatchClient, waits count: Int) async {
        let clock = fixture.home.clock
        let waits = Atomic(0)
        let (last, continuation) = AsyncStream.makeStream(of: Void.self)
        let renewal = Task {
            await latch.renewSessions { date in
                if waits.add(1, ordering: .relaxed).newValue == count {
                    continuation.finish()
                    try? await Task.sleep(for: .seconds(3_600))
                    return .changed
                }
                // More than the error of the subtraction.
                clock.advance(by: max(0, date.timeIntervalSince(clock.now)) + 0.001)
                return .due
            }
        }
        for await _ in last {}
        renewal.cancel()
        await renewal.value
    }

    @Test("OX-12 a program that does nothing keeps its token valid")
    func idle() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        await run(latch, waits: 4)
        #expect(fixture.wire.count(OnyxFixture.refresh) == 3)
        #expect(try await latch.session(for: account).validToken().reveal() == "token-number-4")
        #expect(fixture.wire.count(OnyxFixture.refresh) == 3)
        await latch.close()
    }

    @Test("OX-12 programs that run at the same time share a renewal")
    func shared() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let other = try await fixture.home.open()
        fixture.home.clock.advance(by: 700)
        async let first = latch.session(for: account).renewIfDue()
        async let second = other.session(for: account).renewIfDue()
        #expect(try await [first, second] == [true, true])
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
        await latch.close()
        await other.close()
    }

    @Test("OX-12 OX-14 an unreachable server does not end the session, and the token is renewed when it is there again")
    func unreachable() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        fixture.onyx.intercept { $0.path == OnyxFixture.refresh ? .json("{}", 503) : nil }
        fixture.home.clock.advance(by: 700)
        #expect(try await latch.session(for: account).renewIfDue() == false)
        fixture.onyx.intercept { _ in nil }
        await run(latch, waits: 3)
        #expect(try await latch.session(for: account).validToken().reveal() != "token-number-1")
        await latch.close()
    }

    @Test("OX-12 a token is renewed when the program returns to the foreground, at most once in a minute")
    func foreground() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        await latch.renewSessionsInForeground()
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
        fixture.home.clock.advance(by: 59)
        await latch.renewSessionsInForeground()
        #expect(fixture.wire.count(OnyxFixture.refresh) == 1)
        fixture.home.clock.advance(by: 2)
        await latch.renewSessionsInForeground()
        #expect(fixture.wire.count(OnyxFixture.refresh) == 2)
        #expect(try await latch.session(for: account).validToken().reveal() == "token-number-3")

        // A clock that is set back prevents nothing, and a server that is not there signs nobody out.
        fixture.home.clock.advance(by: -3_600)
        fixture.onyx.intercept { $0.path == OnyxFixture.refresh ? .json("{}", 503) : nil }
        await latch.renewSessionsInForeground()
        #expect(fixture.wire.count(OnyxFixture.refresh) == 3)
        #expect(try await latch.session(for: account).validToken().reveal() == "token-number-3")
        await latch.close()
    }

    @Test("OX-12 a wait ends at its date, by a call and by cancellation")
    func timer() async throws {
        let timer = try #require(WallClockTimer())
        #expect(await timer.wait(until: Date(timeIntervalSince1970: 0)) == .due)
        #expect(await timer.wait(until: Date().addingTimeInterval(0.01)) == .due)
        timer.wake()
        #expect(await timer.wait(until: .distantFuture) == .changed)
        let waiting = Task { await timer.wait(until: .distantFuture) }
        waiting.cancel()
        #expect(await waiting.value == .changed)
    }
}
