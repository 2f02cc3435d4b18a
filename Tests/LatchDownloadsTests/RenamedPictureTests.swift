import Foundation
import HTTPClient
import TestSupport
import Testing

@testable import LatchDownloads

/// A person moves pictures about in their folder: what is here is told by the pictures, not by their names.
@Suite("Renamed pictures", .timeLimit(.minutes(20)))
struct RenamedPictureTests {
    private let fixture: DownloadFixture
    private let files = FileManager.default
    private let sea = "d7c89754-9ee7-494f-b6b8-a1533b0e333e"
    private let hill = "b422af9a-1368-4a64-8846-a7e256c88ad2"

    init() async throws { fixture = try await DownloadFixture() }

    /// As another run of the program has it.
    private func library(keepsMotionPhotos: Bool = false) -> PictureLibrary {
        PictureLibrary(fixture.latch, folder: fixture.library, keepsMotionPhotos: keepsMotionPhotos)
    }

    private var tasks: [DownloadTask] { [fixture.task(sea, name: "sea.jpg"), fixture.task(hill, name: "hill.jpg")] }

    @discardableResult
    private func bring(_ tasks: [DownloadTask], to library: PictureLibrary) async throws -> Int {
        let queue = fixture.queue(library: library)
        let added = try await queue.add(try await library.absent(tasks))
        try await queue.run()
        return added
    }

    private func rename(_ old: String, _ new: String) throws {
        try files.moveItem(atPath: fixture.library + "/" + old, toPath: fixture.library + "/" + new)
    }

    @Test("DL-11 a deleted picture counts as missing even if another picture has its name")
    func hidden() async throws {
        try await bring(tasks, to: library())
        try files.removeItem(atPath: fixture.library + "/sea.jpg")
        try rename("hill.jpg", "sea.jpg")

        #expect(try await library().absent(tasks).map(\.id) == [sea])
        #expect(try await library().existing(tasks[1]) == fixture.library + "/sea.jpg")
        #expect(try await bring(tasks, to: library()) == 1)
        #expect(try fixture.file("sea (2).jpg") == fixture.bytes(of: sea))
        #expect(try fixture.file("sea.jpg") == fixture.bytes(of: hill))
        #expect(try await bring(tasks, to: library()) == 0)
    }

    @Test("DL-11 two pictures that exchanged their names are both found")
    func exchangedNames() async throws {
        try await bring(tasks, to: library())
        try rename("sea.jpg", "third.jpg")
        try rename("hill.jpg", "sea.jpg")
        try rename("third.jpg", "hill.jpg")
        let library = library()
        #expect(try await library.absent(tasks).isEmpty)
        #expect(try await library.existing(tasks[0]) == fixture.library + "/hill.jpg")
        #expect(try await library.existing(tasks[1]) == fixture.library + "/sea.jpg")
    }

    @Test("DL-11 a file without an attribute under a picture's name counts as that picture edited; a folder does not")
    func withoutAttribute() async throws {
        try await bring(tasks, to: library())
        for name in ["sea.jpg", "hill.jpg"] { try files.removeItem(atPath: fixture.library + "/" + name) }
        #expect(files.createFile(atPath: fixture.library + "/sea.jpg", contents: Data("edited".utf8)))
        try files.createDirectory(atPath: fixture.library + "/hill.jpg", withIntermediateDirectories: false)
        #expect(try await library().absent(tasks).map(\.id) == [hill])
    }

    @Test("DL-6 DL-11 a moved motion photo still includes its film, and another picture with its name does not")
    func motionPhoto() async throws {
        var pair = fixture.pair(sea)
        pair[1].id = "533f5ae4-5b16-42e1-9703-8972f0e830fd"
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3, 0xFF, 0xD9]
        fixture.intercept { [sea] in $0.path == "/files/\(sea)" ? .file(jpeg, to: $0) : nil }
        try await bring(pair + [tasks[1]], to: library(keepsMotionPhotos: true))
        #expect(try fixture.files() == ["\(sea).MP.jpg", "hill.jpg"])

        try rename("\(sea).MP.jpg", "first.jpg")
        #expect(try await library().absent(pair).isEmpty)
        try rename("first.jpg", "second.jpg")
        let library = library()
        #expect(try await library.absent(pair).isEmpty)
        #expect(try await library.existing(pair[1]) == fixture.library + "/second.jpg")

        try files.removeItem(atPath: fixture.library + "/second.jpg")
        try rename("hill.jpg", "second.jpg")
        #expect(try await self.library().absent(pair + [tasks[1]]).map(\.id) == pair.map(\.id))
    }

    @Test(
        "DL-6 a motion photo is recognised by its name, also with a number",
        arguments: [
            ("2024/IMG_1.MP.jpg", true), ("IMG_1.MP (2).jpg", true), ("IMG_1MP.JPEG", true), ("IMG_1.jpg", false),
            ("MP (2)/IMG_1.jpg", false), ("IMG_1.MP.heic", false),
        ])
    func names(_ path: String, _ matches: Bool) { #expect(MotionPhotoName.matches(path) == matches) }
}
