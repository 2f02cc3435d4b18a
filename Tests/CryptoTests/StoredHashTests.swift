import Crypto
import Testing

@Suite struct StoredHashTests {
    private static let rest = "p=1$c2FsdHNhbHRzYWx0c2E$aGFzaGhhc2hoYXNoaGFzaA"

    @Test(
        "A stored hash that would need all memory, or days, is refused without computing it",
        arguments: ["m=4294967295,t=1", "m=2097153,t=1", "m=8,t=4294967295", "m=8,t=101"])
    func excessiveCost(_ parameters: String) {
        let hash = PasswordHash(rawValue: "$argon2id$v=19$\(parameters),\(Self.rest)")

        #expect(!hash.isWellFormed)
        #expect(hash.parameters == nil)
        #expect(!hash.verify(Secret("password")))
    }

    @Test("A stored hash with the maximum of the configuration is accepted")
    func maximumCost() {
        let hash = PasswordHash(rawValue: "$argon2id$v=19$m=2097152,t=100,\(Self.rest)")

        #expect(hash.isWellFormed)
        #expect(hash.parameters?.isWithinLimits == true)
    }
}
