import Foundation
import HTTPClient
import LatchKit
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads
@testable import LatchScreens

/// The screen with the pictures of a server.
@MainActor
@Suite("The library screen", .timeLimit(.minutes(5)))
struct LibraryScreenTests {
    typealias Picture = PictureServer.Picture

    func pictures(_ count: Int) -> [Picture] {
        (0..<count).map { number in
            var picture = Picture(number, "IMG_\(number).JPG", [0xFF, 0xD8, 0xFF, UInt8(truncatingIfNeeded: number)])
            let (year, month, day) = (2000 + number * 20 / count, 1 + number % 12, 1 + number % 28)
            picture.taken = String(format: "%04d-%02d-%02dT12:00:00.000Z", year, month, day)
            return picture
        }
    }

    /// Runs `body` with the screen of a person who is signed in to a server.
    func with(
        _ server: PictureServer, started: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (LibraryScreen, LatchClient, TemporaryDirectory) async throws -> Void
    ) async throws {
        let home = try TemporaryDirectory()
        let client = try await LatchClient.open(
            .init(folders: Folders(data: home.path + "/latchstring"), secrets: MemoryStore()))
        try await attempt {
            let found = try await client.probe(ServerAddress(server.url)).requireServer()
            let account = try await client.signIn(
                PasswordSignIn(email: PictureServer.email, password: Secret(PictureServer.password)), to: found)
            let screen = LibraryScreen(
                client, account: account,
                background: .init {
                    started("download")
                } follow: {
                    started("follow")
                })
            try await body(screen, client, home)
            screen.stop()
        } finally: {
            await client.close()
        }
    }

    func shown(_ screen: LibraryScreen) async throws -> LibraryScreen.State {
        try await observed { screen.state == .loading ? nil : screen.state }
    }

    @Test("DL-1 the sandbox's library: all, albums, years, favourites, thumbnails and what a download is")
    func sandbox() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let account = try await fixture.signIn(app).account
            let client = try #require(app.client)
            let screen = LibraryScreen(
                client, account: account,
                background: .init {
                } follow: {
                })
            screen.start()
            #expect(try await shown(screen) == .pictures(8))
            screen.setVisible(0..<8)
            try await observed { (0..<8).allSatisfy { screen.picture(at: $0) != nil } }
            let cells = (0..<8).compactMap { screen.picture(at: $0) }
            #expect(cells.count(where: \.isVideo) == 1 && cells.count(where: \.isLive) == 2)
            #expect(cells.allSatisfy { $0.label.contains(", ") })
            let photo = try #require(cells.firstIndex { !$0.isVideo })
            _ = try await observed { screen.thumbnail(at: photo) }

            screen.show(.albums)
            guard case .albums(let albums) = try await shown(screen) else { throw Unexpected() }
            #expect(albums.map(\.name) == ["Familie", "Sommer an der See"])
            #expect(albums.map(\.count) == ["1 picture", "5 pictures"])
            #expect(LibrarySection.album(albums[1]).selection.albumNames == [albums[1].id: "Sommer an der See"])
            screen.show(.album(albums[1]))
            #expect(try await shown(screen) == .pictures(5))
            screen.show(.favourites)
            #expect(try await shown(screen) == .empty("There are no favourites."))
            screen.show(.times)
            guard case .years(let years) = try await shown(screen) else { throw Unexpected() }
            #expect(!years.isEmpty)

            screen.show(.album(albums[1]))
            #expect(try await shown(screen) == .pictures(5))
            screen.askToDownload()
            let question = try await download(screen)
            let counted = try await summary(question)
            // Two live photos have two files each.
            #expect(counted.files == 7 && counted.bytes > 0)
            #expect(counted.sentence.hasPrefix("7 files to download, "))
            screen.stop()
        }
    }

    @Test(
        "DL-9 all of 100,000 pictures are selected at once, few requests load what is visible, and the rest is forgotten"
    )
    func manyPictures() async throws {
        let server = try PictureServer(pictures(100_000))
        try await with(server) { screen, _, _ in
            screen.start()
            #expect(try await shown(screen) == .pictures(100_000))
            screen.selectAll()
            #expect(screen.selectionSentence == "100000 of 100000 selected")
            screen.setVisible(0..<60)
            try await observed { screen.thumbnail(at: 59) != nil }
            for start in stride(from: 0, to: 100_000, by: 5_000) {
                screen.setVisible(start..<start + 60)
                try await observed { screen.thumbnail(at: start + 59) != nil }
                #expect(screen.shownThumbnails?.count == 60)
                #expect(screen.picture(at: start)?.isSelected == true)
            }
            #expect(screen.thumbnail(at: 0) == nil)
            #expect(screen.picture(at: 100_000) == nil)
        }
    }

    @Test("DL-1 the months have their numbers of pictures, scroll the grid, and select their pictures")
    func months() async throws {
        let server = try PictureServer(pictures(240))
        try await with(server) { screen, _, _ in
            screen.start()
            _ = try await shown(screen)
            screen.setShowsMonths(true)
            #expect(screen.showsMonths && screen.months.reduce(0) { $0 + $1.positions.count } == 240)
            let month = try #require(screen.months.last)
            #expect(month.title.hasSuffix(" 2000") && month.count == "1 picture")
            screen.show(month)
            #expect(!screen.showsMonths && screen.target == month.positions.lowerBound)
            screen.targetShown()
            #expect(screen.target == nil)
            screen.toggleMonth(month)
            #expect(screen.selectionSentence == "1 of 240 selected")
            screen.setShowsMonths(true)
            screen.show(.favourites)
            #expect(!screen.showsMonths)
        }
    }

    @Test("DL-1 IM-16 a server that fails is told with a sentence, and Retry shows the library")
    func failure() async throws {
        let server = try PictureServer(pictures(3))
        let fails = Mutex(true)
        server.intercept { request in
            request.path.contains("/timeline/") && fails.withLock(\.self)
                ? .init(
                    status: 500, headers: [("Content-Type", "application/json")], body: Array(#"{"message":"No"}"#.utf8)
                )
                : nil
        }
        try await with(server) { screen, _, _ in
            screen.start()
            guard case .failed(let error) = try await shown(screen) else { throw Unexpected() }
            #expect(error.code == .serverError && error.message.contains("The months of the library"))
            fails.withLock { $0 = false }
            screen.retry()
            #expect(screen.state == .loading)
            #expect(try await shown(screen) == .pictures(3))
            fails.withLock { $0 = true }
            screen.setVisible(0..<3)
            let loading = try await observed { screen.loadingError }
            #expect(loading.code == .serverError && screen.state == .pictures(3))
            fails.withLock { $0 = false }
            screen.setVisible(0..<3)
            try await observed { screen.loadingError == nil && screen.picture(at: 2) != nil }
        }
    }

    @Test(
        "DL-1 while the screen is hidden, late responses change nothing; shown again, it has its pictures and selection"
    )
    func late() async throws {
        let server = try PictureServer(pictures(3))
        let (gate, arrived) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self))
        server.intercept { request in
            if request.path.contains("/timeline/") {
                arrived.continuation.yield()
                gate.wait()
            }
            return nil
        }
        try await with(server) { screen, _, _ in
            screen.start()
            for await _ in arrived.stream { break }
            screen.stop()
            gate.signal()
            await screen.work.finish()
            #expect(screen.state == .loading && screen.months.isEmpty)
            screen.start()
            gate.signal()
            let state = try await shown(screen)
            #expect(state == .pictures(3))
            screen.toggle(1)
            screen.setVisible(0..<3)
            screen.stop()
            gate.signal()
            gate.signal()
            await screen.loading.finish()
            #expect(screen.picture(at: 0) == nil && screen.shownThumbnails?.count == 0)
            #expect(screen.state == .pictures(3) && screen.selection.positions == RangeSet(1..<2))
            screen.start()
            gate.signal()
            try await observed { screen.thumbnail(at: 2) != nil }
            #expect(screen.picture(at: 1)?.isSelected == true)
            screen.stop()
        }
    }

    @Test("RM-9 when another program switches the account, the pictures are forgotten")
    func switched() async throws {
        let (server, other) = (try PictureServer(pictures(3)), try PictureServer([]))
        try await with(server) { screen, client, home in
            screen.start()
            #expect(try await shown(screen) == .pictures(3))
            screen.setVisible(0..<3)
            try await observed { screen.thumbnail(at: 2) != nil }
            let second = try await LatchClient.open(
                .init(folders: Folders(data: home.path + "/latchstring"), secrets: MemoryStore()))
            try await attempt {
                let found = try await second.probe(ServerAddress(other.url)).requireServer()
                _ = try await second.signIn(
                    PasswordSignIn(email: PictureServer.email, password: Secret(PictureServer.password)), to: found)
                try await observed { screen.state == .loading }
                #expect(screen.picture(at: 0) == nil && screen.shownThumbnails == nil)
            } finally: {
                await second.close()
            }
        }
    }

    @Test(
        "DL-1 IM-16 names with markup, marks for another direction, 10,000 characters and 40 accents are shown as plain text"
    )
    func names() async throws {
        let names = [
            "<b>bold</b> &amp;", "\u{202E}reversed\u{2066}", String(repeating: "a", count: 10_000), " \u{200B} ",
            "e" + String(repeating: "\u{301}", count: 40),
        ]
        let server = try PictureServer([])
        server.intercept { request in
            guard request.path.hasPrefix("/api/albums") else { return nil }
            let albums = names.enumerated().map { index, name in
                ["id": Picture.id(index), "albumName": name, "assetCount": index] as [String: Any]
            }
            let body = (try? JSONSerialization.data(withJSONObject: albums)) ?? Data()
            return .init(headers: [("Content-Type", "application/json")], body: Array(body))
        }
        try await with(server) { screen, _, _ in
            screen.show(.albums)
            guard case .albums(let rows) = try await shown(screen) else { throw Unexpected() }
            let shown = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0.name) })
            #expect(shown[Picture.id(0)] == names[0])
            #expect(shown[Picture.id(1)]?.unicodeScalars.contains { [0x202E, 0x2066].contains($0.value) } == false)
            #expect(shown[Picture.id(2)].map { $0.count <= 200 } == true)
            #expect(shown[Picture.id(3)] == "Untitled album")
            #expect(shown[Picture.id(4)]?.unicodeScalars.first == "e")
        }
    }

    @Test("DL-1 a server of another family offers no library")
    func notOffered() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let account = try await fixture.signIn(app, to: "onyx").account
            let screen = LibraryScreen(
                try #require(app.client), account: account,
                background: .init {
                } follow: {
                })
            screen.start()
            guard case .notOffered(let sentence) = try await shown(screen) else { throw Unexpected() }
            #expect(sentence.contains("has no picture library"))
        }
    }

    private struct Unexpected: Error {}
}
