import Database
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway
@testable import PictureLibrary

/// The timeline over HTTP.
@Suite("The timeline of the Immich dialect", .timeLimit(.minutes(20)))
struct TimelineTests {
    @Test("DL-1 the months have the numbers of their assets, and a month has a value of each property for each asset")
    func months() async throws {
        try await AssetFixture.with { fixture in
            let months = try await fixture.get("/timeline/buckets").json?.array ?? []
            #expect(months.compactMap { $0["count"]?.integer }.reduce(0, +) == 4)
            let found = try await fixture.search().compactMap { $0["id"]?.string }
            var listed: [String] = []
            for month in months {
                let day = try #require(month["timeBucket"]?.string)
                let assets = try #require(try await fixture.get("/timeline/bucket?timeBucket=\(day)").json)
                listed += (assets["id"]?.array ?? []).compactMap(\.string)
                #expect(assets.members?.count == 15)
                #expect(assets.members?.allSatisfy { $0.value.array?.count == month["count"]?.integer } == true)
                #expect(assets["isImage"]?.array?.filter { $0 == .bool(false) }.count == 1)
                #expect(assets["livePhotoVideoId"]?.array?.compactMap(\.string).count == 1)
                let withTime = try await fixture.get("/timeline/bucket?timeBucket=\(day)T00:00:00.000Z&order=asc").json
                #expect(withTime?["id"]?.array == assets["id"]?.array?.reversed())
                let tomorrow = String(day.dropLast()) + "2"
                #expect(try await fixture.get("/timeline/bucket?timeBucket=\(tomorrow)").json?["id"]?.array == [])
            }
            #expect(listed == found)
        }
    }

    @Test("DL-1 an asset is in the month of its camera's clock")
    func cameraClock() async throws {
        try await AssetFixture.with { fixture in
            let library = try #require(fixture.immich.base.gateway.library)
            let id = try await fixture.id("Clip.mp4")
            let taken = try #require(Timestamp.date("2023-12-31T23:30:00Z"))
            let change = Statement(
                "UPDATE assets SET taken_at = ?, local_at = ? WHERE name = 'Clip.mp4'", Date.self, Date.self)
            try await library.store.database.write { _ = try $0.run(change, taken, taken.addingTimeInterval(3_600)) }
            let months = try await fixture.get("/timeline/buckets?order=asc").json?.array
            #expect(months?.first?["timeBucket"] == "2024-01-01" && months?.first?["count"] == 1)
            let month = try await fixture.get("/timeline/bucket?timeBucket=2024-01-01").json
            #expect(month?["id"] == [.string(id)] && month?["localOffsetHours"] == [1])
            #expect(try await fixture.get("/timeline/bucket?timeBucket=2023-12-01").json?["id"]?.array == [])
        }
    }

    @Test("DL-1 the timeline of an album has the album's assets, and other people's albums and timelines are refused")
    func albums() async throws {
        try await AssetFixture.with { fixture in
            let albums = try await fixture.get("/albums").json?.array ?? []
            let see = try #require(albums.first { $0["albumName"] == "See" }?["id"]?.string)
            let months = try await fixture.get("/timeline/buckets?albumId=\(see)").json?.array
            #expect(months?.compactMap { $0["count"]?.integer }.reduce(0, +) == 2)
            let bob = try await fixture.bobsToken()
            let refused = try await fixture.get("/timeline/buckets?albumId=\(see)", as: bob)
            #expect(refused.status == 400 && refused.refusal == "Not found or no album.read access")
            let ada = try await fixture.immich.person().id.uuidString.lowercased()
            #expect(try await fixture.get("/timeline/buckets?userId=\(ada)").status == 200)
            #expect(try await fixture.get("/timeline/buckets?userId=\(ada)", as: bob).status == 400)
        }
    }

    @Test("IM-15 locked assets are in the timeline of an unlocked session only, and never without being asked for")
    func locked() async throws {
        try await AssetFixture.with { fixture in
            let path = "/timeline/buckets?visibility=locked"
            let refused = try await fixture.get(path)
            #expect(refused.status == 401 && refused.refusal == "Elevated permission is required")
            try await fixture.elevate()
            #expect(try await fixture.get(path).json?.array?.first?["count"] == 1)
            let months = try await fixture.get("/timeline/buckets").json?.array
            #expect(months?.compactMap { $0["count"]?.integer }.reduce(0, +) == 4)
        }
    }

    @Test(
        "DL-1 an invalid parameter is refused, and the error names it",
        arguments: [
            ("buckets?visibility=all", "visibility"), ("buckets?isFavorite=1", "isFavorite"),
            ("buckets?albumId=1", "albumId"), ("buckets?order=up", "order"), ("bucket", "timeBucket"),
            ("bucket?timeBucket=2024-13-01", "timeBucket"), ("bucket?timeBucket='", "timeBucket"),
        ])
    func refusals(path: String, parameter: String) async throws {
        try await AssetFixture.with { fixture in
            let response = try await fixture.get("/timeline/" + path)
            #expect(response.status == 400 && response.refusal == "Validation failed")
            #expect(response.json?["errors"]?.array?.first?["path"] == [.string(parameter)])
        }
    }

    @Test("DL-1 there are no favourites, and nothing in the trash")
    func nothing() async throws {
        try await AssetFixture.with { fixture in
            for flag in ["isFavorite", "isTrashed"] {
                #expect(try await fixture.get("/timeline/buckets?\(flag)=true").json?.array == [])
                let month = try await fixture.get("/timeline/bucket?timeBucket=2024-01-01&\(flag)=true").json
                #expect(month?["id"]?.array == [])
            }
        }
    }
}
