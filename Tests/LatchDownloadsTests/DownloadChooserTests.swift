import Crypto
import Foundation
import HTTPMessages
import LatchKit
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// What a person wishes for is found on servers of Immich of any version.
@Suite("Choosing what to download", .timeLimit(.minutes(20)))
struct DownloadChooserTests {
    private typealias Picture = PictureServer.Picture

    private static func pictures() -> [Picture] {
        var pictures = (1...5).map { Picture($0, "IMG_\($0).JPG", Array("picture \($0)".utf8)) }
        pictures[0].taken = "2023-12-31T22:00:00.000Z"
        pictures[1].isFavourite = true
        pictures[2].visibility = "archive"
        pictures[3].video = Picture.id(40)
        var video = Picture(40, "IMG_4.MOV", Array("the film of picture 4".utf8))
        video.visibility = "hidden"
        var bobsPicture = Picture(9, "From Bob.jpg", Array("Bob's".utf8))
        bobsPicture.isForeign = true
        return pictures + [video, bobsPicture]
    }

    private static let albums = [
        "Summer": [Picture.id(1), Picture.id(4)], "Shared": [Picture.id(2), Picture.id(9)], "Empty": [],
    ]

    private func find(_ selection: DownloadSelection, on server: PictureServer) async throws -> [DownloadTask] {
        let home = try TemporaryDirectory()
        let (account, session, latch) = try await signIn(server, home)
        var found: [DownloadTask] = []
        try await attempt {
            for try await tasks in DownloadChooser(account, session).pages(of: selection) { found += tasks }
        } finally: {
            await latch.close()
        }
        return found
    }

    private func signIn(
        _ server: PictureServer, _ home: TemporaryDirectory
    ) async throws -> (Account, Session, LatchClient) {
        let latch = try await LatchClient.open(.init(folders: Folders(data: home.path), secrets: MemoryStore()))
        let found = try await latch.probe(ServerAddress(server.url)).requireServer()
        let account = try await latch.signIn(
            PasswordSignIn(email: PictureServer.email, password: Secret(PictureServer.password)), to: found)
        return (account, try latch.session(for: account), latch)
    }

    private func names(_ tasks: [DownloadTask]) -> [String] { tasks.map(\.filename).sorted() }

    @Test(
        "DL-1 the whole library, with archived pictures and the films of live photos, with their lengths",
        arguments: [1, 2, 3])
    func completeLibrary(_ version: Int) async throws {
        let server = try PictureServer(version: version, Self.pictures())
        let tasks = try await find(DownloadSelection(isWholeLibrary: true), on: server)
        #expect(names(tasks) == ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG", "IMG_4.JPG", "IMG_4.MOV", "IMG_5.JPG"])
        #expect(tasks.allSatisfy { $0.metadata.size != nil })
        #expect(tasks.count { $0.group == .livePhoto } == 2 && tasks.count { $0.group == .image } == 4)
    }

    @Test("DL-1 by day, and favourites", arguments: [1, 2, 3])
    func filters(_ version: Int) async throws {
        let server = try PictureServer(version: version, Self.pictures())
        let year = try #require(ServerTime.date("2024-01-01T00:00:00Z"))
        #expect(names(try await find(DownloadSelection(takenBefore: year), on: server)) == ["IMG_1.JPG"])
        #expect(try await find(DownloadSelection(takenFrom: year), on: server).count == 5)
        #expect(names(try await find(DownloadSelection(isFavouritesOnly: true), on: server)) == ["IMG_2.JPG"])
    }

    @Test("DL-1 an album, also with pictures that another person added", arguments: [1, 2, 3])
    func albums(_ version: Int) async throws {
        let server = try PictureServer(version: version, Self.pictures(), albums: Self.albums)
        let live = try await find(DownloadSelection(albums: ["Summer"]), on: server)
        #expect(names(live) == ["IMG_1.JPG", "IMG_4.JPG", "IMG_4.MOV"])
        let shared = try await find(DownloadSelection(albums: [PictureServer.albumID("Shared")]), on: server)
        #expect(names(shared) == ["From Bob.jpg", "IMG_2.JPG"])
        #expect(try await find(DownloadSelection(albums: ["empty"]), on: server).isEmpty)
        let best = DownloadSelection(albums: ["Shared"], isFavouritesOnly: true)
        #expect(names(try await find(best, on: server)) == ["IMG_2.JPG"])
    }

    @Test(
        "DL-1 an album that was deleted on the server is reported with its last name, also if the selection was stored")
    func deletedAlbum() async throws {
        let server = try PictureServer(Self.pictures(), albums: Self.albums)
        let id = PictureServer.albumID("Gone")
        for name in ["Winter by the sea", nil] {
            var selection = DownloadSelection(albums: [id])
            selection.albumNames = name.map { [id: $0] }
            let stored = try JSON.decode(DownloadSelection.self, from: JSON.encode(selection))
            let error = await #expect(throws: LatchError.self) { _ = try await find(stored, on: server) }
            let message = error?.message ?? ""
            #expect(error?.code == .invalidRequest && message.contains("The albums are 'Empty'"), "\(message)")
            #expect(
                message.hasPrefix(name.map { "The album '\($0)' no longer exists at" } ?? "The album '\(id)' does not"))
            #expect(message.contains(id) == (name == nil))
        }
    }

    @Test("DL-1 an unknown album is reported with similar names")
    func unknownAlbum() async throws {
        let server = try PictureServer(Self.pictures(), albums: Self.albums)
        for (name, suggestion) in [("Sumer", "Did you mean 'Summer'?"), ("Zebras", "'Empty', 'Shared', 'Summer'")] {
            let error = await #expect(throws: LatchError.self) {
                _ = try await find(DownloadSelection(albums: [name]), on: server)
            }
            #expect(error?.code == .invalidRequest && error?.message.contains(suggestion) == true)
        }
    }

    @Test("DL-1 single pictures by id or by their page's URL, and any file of the server by its path")
    func single() async throws {
        let server = try PictureServer(Self.pictures())
        let selection = DownloadSelection(
            ids: [Picture.id(2).uppercased()],
            paths: ["\(server.url)/photos/\(Picture.id(4))", "/api/server/about?x=%20", "/a/M%C3%B6we.pdf"])
        #expect(
            names(try await find(selection, on: server)) == [
                "IMG_2.JPG", "IMG_4.JPG", "IMG_4.MOV", "Möwe.pdf", "about",
            ])
        for wrong in [
            DownloadSelection(ids: ["IMG_2"]), DownloadSelection(ids: [Picture.id(77)]),
            DownloadSelection(paths: ["http://other/x"]),
        ] {
            await #expect(throws: LatchError.self) { _ = try await find(wrong, on: server) }
        }
    }

    @Test(
        "DL-3 a picture of a shared link is downloaded under its name with the share's key, by its page or its file"
    )
    func shared() async throws {
        let server = try PictureServer(Self.pictures())
        let id = Picture.id(9)
        let asked = "/api/assets/\(id)"
        server.intercept { request in
            guard request.path.hasPrefix(asked), !["key=sesame", "slug=sesame"].contains(where: request.path.hasSuffix)
            else { return nil }
            return .init(status: 400, body: Array(request.path.utf8))
        }
        for (path, query) in [
            ("/share/sesame/photos/\(id)", "key=sesame"), ("/s/sesame/photos/\(id)", "slug=sesame"),
            ("/api/assets/\(id)/original?key=sesame", "key=sesame"),
        ] {
            let tasks = try await find(DownloadSelection(paths: [server.url + path]), on: server)
            #expect(names(tasks) == ["From Bob.jpg"] && tasks.first?.id == id)
            #expect(tasks.first?.url == "/api/assets/\(id)/original?\(query)", "\(tasks)")
        }
        for wrong in ["/share/another/photos/\(id)", "/share/another", "/s/another"] {
            let error = await #expect(throws: LatchError.self) {
                _ = try await find(DownloadSelection(paths: [server.url + wrong]), on: server)
            }
            #expect(error?.message.contains("another") == false, "\(error?.message ?? "")")
        }
    }

    @Test("DL-1 with a mistake in the last argument nothing is started")
    func startsNothingOnError() async throws {
        let server = try PictureServer(Self.pictures(), albums: Self.albums)
        let home = try TemporaryDirectory()
        let (account, session, latch) = try await signIn(server, home)
        for selection in [
            DownloadSelection(ids: [Picture.id(2), "nonsense"], paths: ["/a"]),
            DownloadSelection(ids: [Picture.id(2)], albums: ["Summer", "None"]),
            DownloadSelection(paths: ["/a", server.url + "/share/x"]),
        ] {
            await #expect(throws: LatchError.self) {
                for try await _ in DownloadChooser(account, session).pages(of: selection) {
                    Issue.record("A page was returned.")
                }
            }
        }
        await latch.close()
    }

    @Test("DL-1 a library of 1,000 is requested in pages, and a server with endless pages is aborted")
    func pages() async throws {
        let server = try PictureServer(Self.many)
        let tasks = try await find(DownloadSelection(isWholeLibrary: true), on: server)
        #expect(tasks.count == 1_000 && Set(tasks.map(\.id)).count == 1_000)
        #expect(server.server.requests.count { $0.path == "/api/search/metadata" } == 7)

        let endless = try PictureServer([])
        endless.intercept { request in
            guard request.path == "/api/search/metadata" else { return nil }
            let body = #"{"assets":{"items":[{"id":"\#(Picture.id(1))"},7,{"id":"../x"}],"nextPage":"1"}}"#
            return .init(headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
        #expect(try await find(DownloadSelection(isWholeLibrary: true), on: endless).count <= 2)
    }

    /// A thousand, each a second after the one before.
    private static let many = (1...1_000).map { number in
        var picture = Picture(number, "IMG_\(number).JPG", [1])
        let minute = number / 60 < 10 ? "0\(number / 60)" : "\(number / 60)"
        let second = number % 60 < 10 ? "0\(number % 60)" : "\(number % 60)"
        picture.taken = "2024-07-03T13:\(minute):\(second).123Z"
        return picture
    }

    @Test("DL-1 pictures that are deleted while the library is listed do not hide others", arguments: [1, 2, 3])
    func deletedDuringListing(_ version: Int) async throws {
        let server = try PictureServer(version: version, Self.many)
        try await deleteMeanwhile(server)
    }

    @Test("DL-1 the same is true if the pictures of more than a page have the same time", arguments: [1, 2, 3])
    func deletedWithEqualTimes(_ version: Int) async throws {
        let server = try PictureServer(version: version, (1...1_000).map { Picture($0, "IMG_\($0).JPG", [1]) })
        try await deleteMeanwhile(server)
    }

    @Test(
        "DL-1 pictures with the same time are all found if a server lists them in a different order each time",
        arguments: 0..<8)
    func equalTimes(_ seed: UInt64) async throws {
        let server = try PictureServer((1...600).map { Picture($0, "IMG_\($0).JPG", [1]) } + Self.later.prefix(25))
        let chance = Mutex(SeededRandom(seed: seed))
        server.intercept { [weak server] request in
            guard request.path == "/api/search/metadata" else { return nil }
            server?.change { pictures in chance.withLock { pictures[..<600].shuffle(using: &$0) } }
            return nil
        }
        let tasks = try await find(DownloadSelection(isWholeLibrary: true), on: server)
        #expect(Set(tasks.map(\.id)).count == 625 && tasks.count == 625)
    }

    /// Pictures of later moments, a second apart: more than stand on the last page of those of one moment.
    private static let later = (601...1_000).map { number in
        var picture = Picture(number, "IMG_\(number).JPG", [1])
        let (minute, second) = ((number - 600) / 60 + 21, (number - 600) % 60 + 100)
        picture.taken = "2024-07-03T13:\(minute):\("\(second)".dropFirst()).000Z"
        return picture
    }

    @Test(
        "DL-1 pictures that are on no page, however often it is read, are reported, and the others are downloaded")
    func missingFromPages() async throws {
        let server = try PictureServer((1...600).map { Picture($0, "IMG_\($0).JPG", [1]) } + Self.later)
        server.intercept { [weak server] request in
            // The first page is given as the second page too.
            guard request.path == "/api/search/metadata" else { return nil }
            let isSecond = String(decoding: request.body, as: UTF8.self).contains(#""page":2"#)
            server?.change { pictures in
                pictures.sort { $0.id < $1.id }
                if isSecond { pictures = Array(pictures[250..<500] + pictures[..<250] + pictures[500...]) }
            }
            return nil
        }
        let home = try TemporaryDirectory()
        let (account, session, latch) = try await signIn(server, home)
        var found: [DownloadTask] = []
        let error = await #expect(throws: LatchError.self) {
            let chooser = DownloadChooser(account, session)
            for try await tasks in chooser.pages(of: DownloadSelection(isWholeLibrary: true)) { found += tasks }
        }
        #expect(error?.message.contains(" could not be found") ?? false, "\(error?.message ?? "")")
        #expect(error?.message.contains(" and 250 of ") ?? false, "\(error?.message ?? "")")
        #expect(Set(found.map(\.id)).count == 750 && found.count == 750, "all of later moments are among them")
        await latch.close()
    }

    /// Deletes the first ten pictures each time a page was asked for; all others must be found, each once.
    private func deleteMeanwhile(_ server: PictureServer) async throws {
        let asked = Mutex(0)
        server.intercept { [weak server] request in
            guard request.path == "/api/search/metadata" else { return nil }
            let pages = asked.withLock { asked in
                asked += 1
                return asked
            }
            if (2...4).contains(pages) { server?.change { $0.removeFirst(10) } }
            return nil
        }
        let tasks = try await find(DownloadSelection(isWholeLibrary: true), on: server)
        let ids = Set(tasks.map(\.id))
        #expect(ids.count == tasks.count)
        #expect((31...1_000).allSatisfy { ids.contains(Picture.id($0)) })
    }

    @Test("DL-1 an error while others' pictures in an album are requested is reported, and a deleted one is omitted")
    func otherUsersAssetError() async throws {
        let server = try PictureServer(Self.pictures(), albums: Self.albums)
        let status = Mutex(404)
        server.intercept { request in
            request.path == "/api/assets/" + Picture.id(9) ? .init(status: status.withLock { $0 }) : nil
        }
        #expect(names(try await find(DownloadSelection(albums: ["Shared"]), on: server)) == ["IMG_2.JPG"])
        status.withLock { $0 = 500 }
        await #expect(throws: LatchError.self) { _ = try await find(DownloadSelection(albums: ["Shared"]), on: server) }
    }

    @Test("DL-3 a checksum of the path is ignored, and an advisory one is marked as such")
    func checksums() throws {
        let reading = ImmichAssetReading(account: UUID(), api: "/api")
        func task(_ checksum: String, _ library: String) throws -> DownloadTask {
            let text =
                #"{"id":"\#(Picture.id(1))","checksum":"\#(checksum)","originalPath":"/photos/a.jpg","libraryId":\#(library)}"#
            return try #require(reading.tasks(try JSONValue(parsing: Array(text.utf8))).first)
        }
        let ofPath = try #require(InsecureSHA1.digest("path:/photos/a.jpg"))
        #expect(try task(Data(ofPath).base64EncodedString(), "null").metadata.sha1 == nil)
        let ofBytes = Data(repeating: 7, count: 20).base64EncodedString()
        #expect(try task(ofBytes, "null").metadata.isDigestAdvice == false)
        #expect(try task(ofBytes, "\"x\"").metadata.isDigestAdvice)
        #expect(try task("short", "null").metadata.sha1 == nil)
        #expect(try task(ofBytes, "null").filename == Picture.id(1) + ".jpg")
    }

    @Test("DL-1 the example in the documentation downloads everything")
    func documentation() async throws {
        let server = try PictureServer(Self.pictures())
        let home = try TemporaryDirectory()
        let (account, _, latch) = try await signIn(server, home)
        let folder = home.file("Pictures")

        let library = PictureLibrary(latch, folder: folder, layout: .date)
        let queue = DownloadQueue(latch, library: library)
        let chooser = DownloadChooser(account, try latch.session(for: account))
        for try await tasks in chooser.pages(of: DownloadSelection(isWholeLibrary: true)) {
            try await queue.add(try await library.absent(tasks))
        }
        try await queue.run()

        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/2024/07")
        #expect(names.sorted() == ["IMG_2.JPG", "IMG_3.JPG", "IMG_4.JPG", "IMG_4.MOV", "IMG_5.JPG"])
        await latch.close()
    }
}
