import Crypto
import FoundationEssentials
import Testing

@testable import GatewayCore
@testable import LatchGateway
@testable import SignInBridge

/// What every store of one-time codes keeps to.
///
/// - Parameters:
///   - store: The store.
///   - other: Another that shares its codes, as a second gateway has it; the same where codes are not shared.
///   - leeway: How many seconds longer than asked a record may live.
///   - advance: Lets so many seconds pass for both.
/// - Throws: What a store throws, which none may here.
func checkCodeStore(
    _ store: any CodeStore, beside other: any CodeStore, leeway: Double = 0,
    advance: (Double) async throws -> Void
) async throws {
    try await checkConsuming(store, other)
    try await checkOverwriting(store, other)
    try await checkExpiry(store, leeway, advance)
    try await checkRace(store, other)
    try await checkShares(store, other, advance)
}

private func key(_ text: String) -> SHA256Digest { SHA256.digest(text) }

private func checkConsuming(_ store: any CodeStore, _ other: any CodeStore) async throws {
    let record: [UInt8] = [0, 255, 13, 10, 0]
    try await store.save(record, under: key("one"), for: .seconds(3_600), of: nil)
    try await store.save([], under: key("empty"), for: .seconds(3_600), of: nil)

    #expect(try await store.consume(key("unknown")) == nil)
    #expect(try await store.find(key("unknown")) == nil)
    for finder in [store, other, store] { #expect(try await finder.find(key("one")) == record) }
    #expect(try await store.find(key("empty")) == [])
    #expect(try await other.consume(key("one")) == record)
    #expect(try await store.consume(key("one")) == nil, "A record was taken twice.")
    #expect(try await store.find(key("one")) == nil, "A record was found after it was taken.")
    #expect(try await store.consume(key("empty")) == [])
    #expect(try await store.consume(key("empty")) == nil)
}

private func checkOverwriting(_ store: any CodeStore, _ other: any CodeStore) async throws {
    try await store.save([1], under: key("twice"), for: .seconds(3_600), of: nil)

    for again in [store, other] {
        let error = await #expect(throws: GatewayError.self) {
            try await again.save([2], under: key("twice"), for: .seconds(3_600), of: nil)
        }
        #expect(error?.code == .codeExists)
    }

    #expect(try await other.consume(key("twice")) == [1], "A record was overwritten.")
    #expect(try await store.consume(key("twice")) == nil)
    try await other.save([3], under: key("twice"), for: .seconds(3_600), of: nil)
    #expect(try await store.consume(key("twice")) == [3], "A key that is free again must be usable.")
}

private func checkExpiry(
    _ store: any CodeStore, _ leeway: Double, _ advance: (Double) async throws -> Void
) async throws {
    try await store.save([1], under: key("short"), for: .seconds(1), of: nil)
    try await store.save([2], under: key("long"), for: .seconds(3_600), of: nil)

    try await advance(leeway + 1.5)

    #expect(try await store.find(key("short")) == nil, "A record outlived its time.")
    #expect(try await store.consume(key("short")) == nil, "A record outlived its time.")
    try await store.save([3], under: key("short"), for: .seconds(3_600), of: nil)
    #expect(try await store.consume(key("short")) == [3], "An expired record stood in the way.")
    #expect(try await store.consume(key("long")) == [2], "A record was forgotten before its time.")
}

private func checkShares(
    _ store: any CodeStore, _ other: any CodeStore, _ advance: (Double) async throws -> Void
) async throws {
    let (ada, bob) = (CodeOwner.person(UUID()), CodeOwner.person(UUID()))
    func code(_ number: Int) -> SHA256Digest { key("code \(number)") }
    try await store.save([1], under: key("of bob"), for: .seconds(3_600), of: bob)
    for number in 0..<(CodeOwner.maximum + 1) {
        try await advance(0.001)
        // The first codes expire last, so the order of expiry differs from the order in which they are stored.
        try await (number.isMultiple(of: 2) ? store : other).save(
            [2], under: code(number), for: .seconds(7_200 - number), of: ada)
    }

    #expect(try await other.find(code(0)) == nil, "The oldest of too many codes must be gone.")
    for number in 1...CodeOwner.maximum {
        #expect(try await store.consume(code(number)) == [2], "\(number)")
    }
    #expect(try await store.consume(key("of bob")) == [1], "The code of somebody else must be there.")
}

private func checkRace(_ store: any CodeStore, _ other: any CodeStore) async throws {
    try await store.save([7], under: key("race"), for: .seconds(3_600), of: nil)

    let winners = try await withThrowingTaskGroup { group in
        for number in 0..<1_000 {
            group.addTask { try await (number.isMultiple(of: 2) ? store : other).consume(key("race")) != nil }
        }
        return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }

    #expect(winners == 1)
}
