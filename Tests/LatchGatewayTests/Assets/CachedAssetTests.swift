import Database
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import PictureLibrary

/// What is remembered of files between two requests, and that nothing of it outlives a change.
@Suite(.timeLimit(.minutes(20)))
struct CachedAssetTests {
    private func find(_ fixture: LibraryFixture, _ id: UUID, _ email: String = "ada@example.org") async throws -> Asset?
    {
        try await fixture.library.store.find(id, for: LibraryFixture.owners(email), isElevated: false)
    }

    @Test("a requested file is cached: the database is not read for it again")
    func cachesFiles() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("one", at: "ada@example.org/one.jpg", day: 1)
            try await fixture.library.scan()
            let id = try #require(try await fixture.ids()["one.jpg"])
            let first = try await find(fixture, id)
            _ = try await fixture.stores.database.write { try $0.run(Self.vanish) }
            #expect(try await find(fixture, id) == first && first != nil)
            fixture.library.store.invalidateCache()
            #expect(try await find(fixture, id) == nil)
        }
    }

    @Test("a cached file is still only for its owner, and a locked one requires the PIN")
    func checksAccess() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("one", at: "ada@example.org/.locked/one.jpg", day: 1)
            try await fixture.library.scan()
            let store = fixture.library.store
            let (ada, bob) = (LibraryFixture.owners("ada@example.org"), LibraryFixture.owners("bob@example.org"))
            let id = try #require(try await store.search(AssetQuery(visibility: .locked), for: ada).assets.first?.id)
            #expect(try await store.find(id, for: ada, isElevated: true) != nil)
            #expect(try await store.find(id, for: ada, isElevated: false) == nil)
            #expect(try await store.find(id, for: bob, isElevated: true) == nil)
            #expect(try await store.find([id], for: bob, isElevated: true).isEmpty)
            #expect(try await store.find([id], for: ada, isElevated: false).isEmpty)
        }
    }

    @Test("after a scan that finds a file changed, locked or deleted, the next request sees that")
    func updatesAfterScan() async throws {
        try await LibraryFixture.with { fixture in
            for name in ["changed", "locked", "gone"] {
                try fixture.put(name, at: "ada@example.org/\(name).jpg", day: 1)
            }
            try await fixture.library.scan()
            let ids = try await fixture.ids()
            for id in ids.values { #expect(try await find(fixture, id) != nil) }

            try fixture.put("changed to more", at: "ada@example.org/changed.jpg", day: 2)
            try fixture.put("", at: "ada@example.org/.locked/there.jpg", day: 1)
            try fixture.move("ada@example.org/locked.jpg", to: "ada@example.org/.locked/locked.jpg")
            try fixture.remove("ada@example.org/gone.jpg")
            try await fixture.library.scan()

            #expect(try await find(fixture, try #require(ids["changed.jpg"]))?.file.size == 15)
            #expect(try await find(fixture, try #require(ids["locked.jpg"])) == nil)
            #expect(try await find(fixture, try #require(ids["gone.jpg"])) == nil)
        }
    }

    @Test("a value read before a change is not cached after it, and the cache is bounded")
    func rejectsStaleValues() {
        let cache = ReadCache<Int, String>(capacity: 10)
        let early = cache.ticket
        cache.removeAll()
        cache.insert("old", for: 1, ticket: early)
        #expect(cache[1] == nil)
        cache.insert("new", for: 1, ticket: cache.ticket)
        #expect(cache[1] == "new")
        cache.remove(1)
        #expect(cache[1] == nil)
        for key in 0..<1_000 { cache.insert("", for: key, ticket: cache.ticket) }
        #expect(cache.count <= 20 && cache[999] != nil && cache[0] == nil)
    }

    private static let vanish = Statement("DELETE FROM assets")
}
