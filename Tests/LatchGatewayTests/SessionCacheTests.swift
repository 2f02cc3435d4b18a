import Crypto
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayCore

/// Sessions in the memory of a gateway.
@Suite(.timeLimit(.minutes(20)))
struct SessionCacheTests {
    @Test("a session that is read while it ends is not cached as valid")
    func lateInsert() async throws {
        let cache = SessionCache(lifetime: SessionLifetime())
        let digest = SHA256.digest("a token")
        let session = Session.sample()
        let late = cache.ticket(for: digest)
        cache.remove(digest)

        cache.insert(digest, session, lastUsed: session.created, livesUntil: session.expires, ticket: late)
        #expect(cache.use(digest, at: session.created) == nil)

        cache.insert(
            digest, session, lastUsed: session.created, livesUntil: session.expires, ticket: cache.ticket(for: digest))
        #expect(cache.use(digest, at: session.created) == session)
    }

    @Test("the cache has a bounded number of sessions, and used ones stay")
    func boundedCache() async throws {
        let cache = SessionCache(lifetime: SessionLifetime(), capacity: 3_200)
        let session = Session.sample()
        let used = SHA256.digest("the one in use")
        for index in 0..<20_000 {
            let digest = index == 0 ? used : SHA256.digest("token \(index)")
            cache.insert(
                digest, session, lastUsed: session.created, livesUntil: session.expires,
                ticket: cache.ticket(for: digest))
            _ = cache.use(used, at: session.created)
        }
        #expect(cache.count <= 3_200)
        #expect(cache.use(used, at: session.created) != nil)
    }

    @Test("a use is written even if its session left the cache, or was used again during the write")
    func usesOfEvictedEntries() {
        let left = UnwrittenUses()
        let cache = SessionCache(lifetime: SessionLifetime(), capacity: 3_200, evictedUses: left)
        let session = Session.sample()
        let later = session.created + 61
        let digests = (0..<10_000).map { SHA256.digest("token \($0)") }
        for digest in digests {
            cache.insert(
                digest, session, lastUsed: session.created, livesUntil: session.expires,
                ticket: cache.ticket(for: digest))
            #expect(cache.use(digest, at: later) != nil)
        }
        let inMemory = cache.unwrittenUses
        #expect(inMemory.count == cache.count)
        #expect(Set((inMemory + left.pending()).map(\.digest)) == Set(digests))

        let last = digests[9_999]
        #expect(cache.use(last, at: later + 61) != nil)
        cache.written(inMemory)
        #expect(cache.pending(last) == UnwrittenUses.Use(first: later, last: later + 61))
        #expect(cache.unwrittenUses.map(\.digest) == [last])
        cache.removeAll()
        #expect(left.pending(last) == UnwrittenUses.Use(first: later, last: later + 61))
    }

    @Test("100,000 sessions of as many people use less than 64 MiB of memory")
    func memoryOfCache() async {
        // In a process of its own, where nothing else takes memory.
        await #expect(processExitsWith: .success) {
            let cache = SessionCache(lifetime: SessionLifetime())
            let before = try residentBytes()
            for index in 0..<100_000 {
                let digest = SHA256.digest("token \(index)")
                let session = Session.sample("somebody.with.a.name.\(index)@example.org")
                cache.insert(
                    digest, session, lastUsed: session.created, livesUntil: session.expires,
                    ticket: cache.ticket(for: digest))
            }
            let used = try residentBytes() - before
            #expect(cache.count > 90_000)
            #expect(used < 64 << 20)
        }
    }
}

/// How much of this process is in memory.
///
/// Source: `proc(5)`, `/proc/pid/statm`.
private func residentBytes() throws -> Int {
    let text = try String(decoding: Data(contentsOf: URL(filePath: "/proc/self/statm")), as: UTF8.self)
    return try #require(Int(text.split(separator: " ")[1])) * 4_096
}
