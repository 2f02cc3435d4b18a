import Database
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import PictureLibrary

/// Plans of archives of a whole library.
@Suite(.timeLimit(.minutes(20)))
struct DownloadPlanTests {
    /// Photographs of 10 bytes each, beside the files of the bench, seven of each moment; every tenth has a film of 5 bytes.
    private static func fill(_ fixture: AssetFixture, _ count: Int) async throws {
        func insert(_ name: String, _ kind: String, _ columns: String) -> String {
            """
            WITH RECURSIVE n (i) AS (SELECT CAST(?1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?2 - 1)
            INSERT INTO assets (id, folder, name, sought_name, owner, kind, size, modified_at, inode, sha1, taken_at, local_at,
                motion_id, visibility, is_locked, added_at, updated_at)
            SELECT \(name), 'ada@example.org/Many', 'P' || i || '\(kind)', 'p', 'ada@example.org', \(columns) FROM n
            """
        }
        func id(_ letter: String) -> String {
            "'00000000-0000-4000-8000-\(letter)' || substr('00000000000' || i, length('00000000000' || i) - 10)"
        }
        let withoutTriggers = Statement("SET LOCAL session_replication_role TO replica")
        let statements = [
            insert(
                id("A"), ".jpg",
                "'IMAGE', 10, 0, 0, ?3, i / 7, i, CASE WHEN i % 10 = 0 THEN \(id("F")) END, 'timeline', FALSE, 0, 0"),
            insert(id("F"), ".mov", "'VIDEO', 5, 0, 0, ?3, 0, i, NULL, 'hidden', FALSE, 0, 0") + " WHERE i % 10 = 0",
        ]
        for sql in statements {
            let statement = Statement(sql, Int.self, Int.self, [UInt8].self)
            // In parts, because the gateway waits only some seconds for one statement.
            for start in stride(from: 0, to: count, by: 500) {
                let end = min(start + 500, count)
                _ = try await fixture.immich.base.gateway.stores.database.write { connection in
                    // Without the triggers, which count files in months. Plans do not read these, and PostgreSQL needs
                    // minutes for so many.
                    if TestDatabase.isServer { try connection.run(withoutTriggers) }
                    try connection.run(statement, start, end, [])
                }
            }
        }
    }

    @Test(
        "DL-3 a plan of many pages has every file once, newest first, films last, and archives of the requested size"
    )
    func plansManyPages() async throws {
        try await AssetFixture.with { fixture in
            try await Self.fill(fixture, 3_500)
            let mine = JSONValue.string(try await fixture.immich.person().id.uuidString.lowercased())

            let response = try await fixture.post("/download/info", ["userId": mine, "archiveSize": 9_999])

            #expect(response.status == 201)
            let archives = try #require(response.json?["archives"]?.array)
            let ids = archives.flatMap { $0["assetIds"]?.array ?? [] }.compactMap(\.string)
            // The bench has five files of Ada's and everybody's, of which one film moves.
            #expect(ids.count == 3_500 + 350 + 5 && Set(ids).count == ids.count)
            let films = ids.suffix(351)
            #expect(films.filter { $0.hasPrefix("00000000-0000-4000-8000-f") }.count == 350)
            for mark in ["a", "f"] {
                let marked = ids.filter { $0.hasPrefix("00000000-0000-4000-8000-" + mark) }
                #expect(marked == marked.sorted(by: >))
            }
            let sizes = archives.compactMap { $0["size"]?.number }
            #expect(sizes.dropLast().allSatisfy { (9_999.0...11_499).contains($0) })
            let total: Double = sizes.reduce(0, +)
            #expect(total == 38_468)
            #expect(response.json?["totalSize"]?.number == total)
        }
    }

    @Test("DL-3 a plan ends an archive after 5,000 files, of any size")
    func dividesByCount() async throws {
        try await AssetFixture.with { fixture in
            try await Self.fill(fixture, 9_995)
            let mine = JSONValue.string(try await fixture.immich.person().id.uuidString.lowercased())
            let response = try await fixture.post("/download/info", ["userId": mine])
            let counts = response.json?["archives"]?.array?.map { $0["assetIds"]?.array?.count ?? 0 }
            #expect(counts == [5_000, 5_000, 1_000])
        }
    }

    @Test("DL-3 a plan holds one page of a library of 100,000 photographs at a time")
    func holdsOnePage() async throws {
        try await AssetFixture.with { fixture in
            try await Self.fill(fixture, 100_000)
            let store = try #require(fixture.immich.base.gateway.library).store
            var pages = AssetPages(of: nil, for: LibraryFixture.owners(GatewayFixture.email), in: store)
            var text = ImmichPlanText(limit: 1 << 40)
            var (count, largest) = (0, 0)
            while let page = try await pages.next() {
                #expect(page.count <= AssetPages.size)
                for part in page { text.add(part) }
                largest = max(largest, text.drain().count)
                count += page.count
            }
            #expect(count == 110_005)
            #expect(largest < 50_000)
        }
    }

    @Test("DL-3 an empty plan is valid")
    func plansNothing() async throws {
        try await AssetFixture.with { fixture in
            let response = try await fixture.post("/download/info", ["assetIds": []])
            #expect(response.json?["archives"] == [] && response.json?["totalSize"] == 0)
        }
    }
}
