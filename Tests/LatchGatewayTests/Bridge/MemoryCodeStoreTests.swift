import Crypto
import FoundationEssentials
import TestSupport
import Testing

@testable import SignInBridge

@Suite(.timeLimit(.minutes(20)))
struct MemoryCodeStoreTests {
    @Test("OX-4 a code can be redeemed once, and only before it expires")
    func conformance() async throws {
        let clock = TestClock()
        let store = MemoryCodeStore(now: { clock.now })
        try await checkCodeStore(store, beside: store) { clock.advance($0) }
    }

    @Test("OX-4 the codes of a person's clients of OAuth displace none of a sign-in to a dialect")
    func separateShares() throws {
        let store = MemoryCodeStore(now: { Date(timeIntervalSince1970: 0) })
        let (person, own) = (UUID(), SHA256.digest("own"))
        try store.save([1], under: own, for: .seconds(60), of: .person(person))
        for number in 0..<CodeOwner.maximum + 1 {
            try store.save([2], under: SHA256.digest("\(number)"), for: .seconds(60), of: .clients(of: person))
        }
        #expect(store.consume(SHA256.digest("0")) == nil)
        #expect(store.consume(own) == [1])
    }

    @Test("OX-4 100,000 abandoned sign-ins use bounded memory, which is freed when they expire")
    func abandoned() throws {
        let clock = TestClock()
        let store = MemoryCodeStore(now: { clock.now })
        let record = [UInt8](repeating: 1, count: 200)

        for number in 0..<100_000 {
            try store.save(record, under: SHA256.digest("\(number)"), for: .seconds(60), of: nil)
            #expect(store.count <= 16_384)
        }
        #expect(store.consume(SHA256.digest("99999")) == record, "The newest must be there.")
        #expect(store.consume(SHA256.digest("0")) == nil, "The oldest must be gone.")

        clock.advance(60)
        store.sweep()
        #expect(store.count == 0)
    }

    @Test("expired codes are freed while new ones are stored")
    func steady() throws {
        let clock = TestClock()
        let store = MemoryCodeStore(now: { clock.now })

        for number in 0..<10_000 {
            try store.save([1], under: SHA256.digest("\(number)"), for: .seconds(60), of: nil)
            clock.advance(1)
        }

        #expect(store.count <= 180)
    }
}
