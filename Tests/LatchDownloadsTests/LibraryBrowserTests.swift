import Foundation
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// A person looks at a picture library of any version of Immich, and selects what to download.
@Suite("Browsing a picture library", .timeLimit(.minutes(20)))
struct LibraryBrowserTests {
    private typealias Picture = PictureServer.Picture

    /// 40 pictures in two months, with an archived one, a favourite, a live photo, a video and one of another person.
    private static func pictures() -> [Picture] {
        var pictures = (1...40).map { number in
            var picture = Picture(number, "IMG_\(number).JPG", Array(repeating: 7, count: number))
            picture.taken = "2024-0\(number <= 30 ? 6 : 7)-\(String(format: "%02d", number % 30 + 1))T12:00:00.000Z"
            return picture
        }
        pictures[0].visibility = "archive"
        pictures[1].isFavourite = true
        pictures[2].video = Picture.id(90)
        pictures[3].name = "Film.MP4"
        var video = Picture(90, "IMG_3.MOV", [1])
        (video.visibility, video.taken) = ("hidden", pictures[2].taken)
        var foreign = Picture(91, "Bob.JPG", [2])
        (foreign.isForeign, foreign.taken) = (true, pictures[39].taken)
        return pictures + [video, foreign]
    }

    private static let albums = [
        "Summer": [Picture.id(1), Picture.id(40)], "Shared": [Picture.id(2), Picture.id(91)],
    ]

    @Test(
        "DL-1 the list has all listed pictures, newest first, and loads a month when it is needed",
        arguments: [1, 2, 3])
    func all(_ version: Int) async throws {
        let server = try PictureServer(version: version, Self.pictures())
        try await LibraryFixture.with(server) { fixture in
            let list = try await fixture.browser().pictures(DownloadSelection(isWholeLibrary: true))
            #expect(list.count == 40 && list.months.map(\.count) == [10, 30])
            #expect(list.months.map(\.month) == [7, 6] && list.positions(ofMonth: 1) == 10..<40)
            #expect(list.picture(at: 0) == nil)

            #expect(try await list.load(0..<5).isEmpty)
            #expect(list.picture(at: 0)?.id.text == Picture.id(39) || list.picture(at: 0)?.id.text == Picture.id(40))
            #expect(list.picture(at: 9) != nil && list.picture(at: 10) == nil)
            #expect(try await list.load(8..<12).isEmpty)
            let found = (0..<40).compactMap { list.picture(at: $0) }
            #expect(Set(found.map(\.id)).count == 40)
            #expect(found.count(where: \.isVideo) == 1 && found.count(where: \.isLive) == 1)
            #expect(list.picture(at: 40) == nil && list.picture(at: -1) == nil)
            let requests = server.server.requests.filter { $0.path.contains("/timeline/bucket?") }
            #expect(requests.count == 2)
        }
    }

    @Test(
        "DL-1 albums have a name, a number and a cover, and their pictures include those of others",
        arguments: [1, 2, 3])
    func albums(_ version: Int) async throws {
        let server = try PictureServer(version: version, Self.pictures(), albums: Self.albums)
        try await LibraryFixture.with(server) { fixture in
            let albums = try await fixture.browser().albums()
            #expect(albums.map(\.name) == ["Shared", "Summer"] && albums.map(\.count) == [2, 2])
            #expect(albums.map(\.cover?.text) == [Picture.id(2), Picture.id(1)])
            let list = try await fixture.browser().pictures(DownloadSelection(albums: [albums[0].id]))
            try await list.load(0..<2)
            #expect(Set((0..<2).compactMap { list.picture(at: $0)?.id.text }) == [Picture.id(2), Picture.id(91)])
            #expect(list.count == 2)
        }
    }

    @Test("DL-1 favourites and times, with their exact limits", arguments: [1, 2, 3])
    func filters(_ version: Int) async throws {
        let server = try PictureServer(version: version, Self.pictures())
        try await LibraryFixture.with(server) { fixture in
            let browser = try fixture.browser()
            #expect(try await browser.pictures(DownloadSelection(isFavouritesOnly: true)).count == 1)
            let from = try #require(ServerTime.date("2024-06-29T12:00:00Z"))
            let end = try #require(ServerTime.date("2024-07-02T12:00:00Z"))
            let list = try await browser.pictures(DownloadSelection(takenFrom: from, takenBefore: end))
            // The 29th and 30th of June and the 1st of July, and nothing of the moment at the end.
            let expected = Self.pictures().count {
                !$0.isForeign && $0.visibility != "hidden"
                    && ("2024-06-29T12:00:00.000Z"..<"2024-07-02T12:00:00.000Z").contains($0.taken)
            }
            #expect(list.count == expected && expected > 1)
            #expect(try await fixture.names(list.downloads(of: RangeSet(0..<list.count))).count >= expected)
        }
    }

    @Test("DL-1 selected pictures are downloaded, and no others: one, most, half, and all", arguments: [1, 3])
    func selections(_ version: Int) async throws {
        var pictures = Self.pictures()
        for number in 100..<500 {
            var picture = Picture(number, "More_\(number).JPG", [3])
            picture.taken = "2023-\(String(format: "%02d", number % 12 + 1))-01T00:00:00.\(number)Z"
            pictures.append(picture)
        }
        pictures.sort { $0.taken < $1.taken }
        let server = try PictureServer(version: version, pictures)
        try await LibraryFixture.with(server) { fixture in
            let list = try await fixture.browser().pictures(DownloadSelection(isWholeLibrary: true))
            #expect(list.count == 440)
            try await list.load(0..<440)
            let ids = (0..<440).compactMap { list.picture(at: $0)?.id.text }
            let names = Dictionary(uniqueKeysWithValues: pictures.map { ($0.id, $0.name) })
            for positions in [0..<1, 0..<400, 100..<250, 0..<440] {
                let expected = Set(ids[positions].compactMap { names[$0] })
                let found = try await fixture.names(list.downloads(of: RangeSet(positions)))
                // The film of the live photo belongs to its picture.
                #expect(Set(found).subtracting(["IMG_3.MOV"]) == expected)
                #expect(found.count == expected.count + (expected.contains("IMG_3.JPG") ? 1 : 0))
            }
        }
    }

    @Test("DL-1 a month that changed meanwhile moves the later positions, and the list stays correct")
    func changes() async throws {
        let server = try PictureServer(Self.pictures())
        try await LibraryFixture.with(server) { fixture in
            let list = try await fixture.browser().pictures(DownloadSelection(isWholeLibrary: true))
            server.change { $0.removeAll { $0.id == Picture.id(35) } }
            let changes = try await list.load(0..<40)
            #expect(changes == [PictureListChange(positions: 0..<10, newCount: 9)])
            #expect(list.count == 39 && list.months.map(\.count) == [9, 30] && list.positions(ofMonth: 1) == 9..<39)
            #expect((0..<39).allSatisfy { list.picture(at: $0) != nil })
            server.change { $0.removeAll { $0.taken.hasPrefix("2024-07") } }
            let fresh = try await fixture.browser().pictures(DownloadSelection(isWholeLibrary: true))
            #expect(fresh.count == 30)
        }
    }

    @Test(
        "DL-1 a server that lists nonsense gets a sentence or is read as far as it makes sense, and nothing traps",
        arguments: [
            (#"{}"#, "{}"), (#"[{"timeBucket":"2024-07-01","count":9e99}]"#, "{}"),
            (#"[{"timeBucket":"2024-07-01","count":-5},{"timeBucket":"x","count":1}]"#, "{}"),
            (#"[{"timeBucket":"2024-07-01","count":9000000},{"timeBucket":"2024-06-01","count":9000000}]"#, "{}"),
            (#"[{"timeBucket":"2024-07-01","count":3}]"#, #"{"id":["x"],"isImage":[true],"fileCreatedAt":["?"]}"#),
            (#"[{"timeBucket":"2024-07-01","count":3}]"#, #"{"id":["x"],"isImage":[],"fileCreatedAt":[]}"#),
            (#"[{"timeBucket":"2024-07-01","count":3}]"#, #"[1,{"id":"../../etc"},null]"#),
            (#"[{"timeBucket":"2024-07-01&x=%2F..","count":3}]"#, "[]"),
        ])
    func nonsense(months: String, month: String) async throws {
        let server = try PictureServer([])
        server.intercept { request in
            let text =
                request.path.contains("/timeline/buckets")
                ? months : request.path.contains("/timeline/bucket?") ? month : nil
            return text.map { .init(headers: [("Content-Type", "application/json")], body: Array($0.utf8)) }
        }
        try await LibraryFixture.with(server) { fixture in
            do {
                let list = try await fixture.browser().pictures(DownloadSelection(isWholeLibrary: true))
                try await list.load(0..<list.count)
                #expect((0..<max(1, list.count)).allSatisfy { list.picture(at: $0) == nil })
            } catch let error as LatchError {
                #expect([.serverRefused, .unreadableResponse].contains(error.code) && error.message.hasSuffix("."))
            }
        }
    }

    @Test("DL-1 DL-9 100,000 pictures take less than 4 MiB, and those used longest ago are removed from memory")
    func memory() async throws {
        let months = try (0..<240).map { number in
            try #require(
                PictureMonth(bucket: "\(2000 + number / 12)-\(String(format: "%02d", number % 12 + 1))-01", count: 500))
        }
        let requests = Mutex(0)
        let list = PictureList(DownloadSelection(isWholeLibrary: true), months, loadedCount: 100_000) { month in
            requests.withLock { $0 += 1 }
            return (0..<500).map { _ in
                LibraryPicture(id: PictureID(UUID()), taken: .distantPast, isVideo: false, isLive: false)
            }
        }
        try await list.load(0..<500)
        try await list.load(0..<100_000)
        #expect(list.loadedBytes < 4 << 20)
        #expect(list.picture(at: 0) != nil && list.picture(at: 99_999) != nil)
        try await list.load(100_000..<100_500)
        #expect(list.picture(at: 0) == nil && list.picture(at: 100_000) != nil)
        #expect(list.loadedBytes < 4 << 20)
        #expect(requests.withLock(\.self) == 201)
    }
}
