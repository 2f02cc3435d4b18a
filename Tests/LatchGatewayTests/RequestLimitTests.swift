import FoundationEssentials
import HTTPMessages
import Primitives
import Testing

@testable import GatewayCore

/// The share of requests that each caller has.
@Suite struct RequestLimitTests {
    private let clock = TestClock()

    private func limit(_ requests: Int, capacity: Int = 100) -> RequestLimit {
        RequestLimit(.perMinute(requests), capacity: capacity, now: { [clock] in clock.now })
    }

    private func address(_ text: String) -> RequestCaller { .from(ClientAddress(IPAddress(text))) }

    @Test("A burst is allowed at once, then the rate applies, and no window edge allows two bursts")
    func rate() throws {
        let limit = limit(10)
        let caller = RequestCaller.person(UUID())
        for _ in 0..<10 { #expect(limit.consume(caller) == nil) }
        let wait = try #require(limit.consume(caller))
        #expect(abs(wait.seconds - 6) < 0.001)
        clock.advance(5.9)
        #expect(limit.consume(caller) != nil)
        clock.advance(0.1)
        #expect(limit.consume(caller) == nil && limit.consume(caller) != nil)
        clock.advance(30)
        for _ in 0..<5 { #expect(limit.consume(caller) == nil) }
        #expect(limit.consume(caller) != nil)
        clock.advance(3600)
        for _ in 0..<10 { #expect(limit.consume(caller) == nil) }
        #expect(limit.consume(caller) != nil)
    }

    @Test("A refused request does not count, and each client counts separately; an IPv6 /64 is one client")
    func callers() {
        let limit = limit(1)
        #expect(limit.consume(address("192.0.2.1")) == nil)
        for _ in 0..<100 { #expect(limit.consume(address("192.0.2.1")) != nil) }
        #expect(limit.consume(address("192.0.2.2")) == nil)
        #expect(limit.consume(address("2001:db8::1")) == nil && limit.consume(address("2001:db8::2")) != nil)
        let id = UUID()
        #expect(
            limit.consume(.person(id)) == nil && limit.consume(.key(id)) == nil && limit.consume(.person(id)) != nil)
        clock.advance(60)
        #expect(limit.consume(address("192.0.2.1")) == nil)
    }

    @Test("A /56 network has the rate of four addresses and a /48 that of sixteen, however many /64 they use")
    func networks() {
        func count(_ address: (Int) -> String) -> Int {
            let limit = self.limit(10, capacity: 10_000)
            return (0..<2_000).count { limit.consume(self.address(address($0))) == nil }
        }
        func hex(_ number: Int) -> String { String(number, radix: 16) }
        #expect(count { "2001:db8::\(hex($0 + 1))" } == 10)
        #expect(count { "2001:db8:0:\(hex($0 % 256))::1" } == 40)
        #expect(count { "2001:db8:0:\(hex($0 * 256 % 65_536))::1" } == 160)
        #expect(count { "2001:db8:\(hex($0))::1" } == 2_000)
        // What a network may not send counts for none of its addresses.
        let limit = self.limit(1)
        for number in 0..<4 { #expect(limit.consume(address("2001:db8:0:\(number)::1")) == nil) }
        let (late, other) = (address("2001:db8:0:5::1"), address("2001:db8:0:100::1"))
        #expect(limit.wait(for: late) != nil && limit.consume(late) != nil)
        #expect(limit.wait(for: other) == nil && limit.consume(other) == nil)
        clock.advance(15)
        #expect(limit.consume(late) == nil)
    }

    @Test("The addresses of one /48 displace no others from memory")
    func networkMemory() {
        let limit = limit(2, capacity: 6_400)
        let others = (0..<100).map { address("192.0.2.\($0)") }
        for caller in others { for _ in 0..<2 { #expect(limit.consume(caller) == nil) } }
        for number in 0..<65_536 {
            _ = limit.consume(address("2001:db8:0:\(String(number, radix: 16))::1"))
            clock.advance(0.0001)
        }
        // A sixty-fourth of the capacity, the /48 itself, and the other callers.
        #expect(limit.count <= 100 + 1 + 100)
        for caller in others { #expect(limit.consume(caller) != nil) }
    }

    @Test("Setting the clock back refuses no client for longer than the window")
    func clockSetBack() throws {
        let limit = limit(2)
        let caller = RequestCaller.person(UUID())
        for _ in 0..<2 { #expect(limit.consume(caller) == nil) }
        clock.advance(-86_400)
        let wait = try #require(limit.consume(caller))
        #expect(wait <= .seconds(60))
        clock.advance(60)
        #expect(limit.consume(caller) == nil)
    }

    @Test("A flood of clients uses bounded memory, and inactive clients are removed")
    func bound() {
        let limit = limit(1, capacity: 50)
        let active = RequestCaller.person(UUID())
        #expect(limit.consume(active) == nil)
        for _ in 0..<1_000 {
            _ = limit.consume(.person(UUID()))
            #expect(limit.consume(active) != nil || limit.count <= 100)
        }
        #expect(limit.count <= 100)
        clock.advance(61)
        limit.sweep()
        #expect(limit.count == 0)
    }

    @Test("Concurrent requests cannot exceed the limit")
    func together() async {
        let limit = limit(100)
        let caller = RequestCaller.person(UUID())
        let granted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { (0..<100).count { _ in limit.consume(caller) == nil } } }
            return await group.reduce(0, +)
        }
        #expect(granted == 100)
    }
}
