import Crypto
import Database
import Foundation
import HTTPClient
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// A folder of pictures: what is in it is in it once, wherever it lies there.
@Suite("The library on disk", .timeLimit(.minutes(20)))
struct PictureLibraryTests {
    private let fixture: DownloadFixture
    private let id = "d7c89754-9ee7-494f-b6b8-a1533b0e333e"

    init() async throws { fixture = try await DownloadFixture() }

    private func library(_ layout: LibraryLayout = .flat) -> PictureLibrary {
        PictureLibrary(fixture.latch, folder: fixture.library, layout: layout)
    }

    private func task(_ id: String, name: String = "IMG_1.jpg", taken: Date? = nil) -> DownloadTask {
        fixture.task(id, name: name, metadata: .init(taken: taken))
    }

    @discardableResult
    private func bring(_ tasks: [DownloadTask], to library: PictureLibrary) async throws -> Int {
        let queue = fixture.queue(library: library)
        let added = try await queue.add(try await library.absent(tasks))
        try await queue.run()
        return added
    }

    @Test("DL-11 a file has its asset's id and time, is recorded, and is not fetched twice")
    func once() async throws {
        let captureTime = Date(timeIntervalSince1970: 1_720_012_810)
        #expect(try await bring([task(id, taken: captureTime)], to: library()) == 1)
        #expect(try await bring([task(id, taken: captureTime)], to: library()) == 0)

        let path = fixture.library + "/IMG_1.jpg"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.modificationDate] as? Date == captureTime)
        #expect(DownloadPart.attribute(PictureLibrary.attribute, of: path) == id)
        #expect(try fixture.files() == ["IMG_1.jpg"])
        #expect(fixture.server.requests.count { $0.path == "/files/\(id)" } == 1)
    }

    /// A task for the same picture, of an account with another address of the server.
    private func taskOfAnotherAccount() async throws -> DownloadTask {
        let found = try await fixture.latch.probe(ServerAddress("http://localhost:\(fixture.server.port)"))
            .requireServer()
        let second = try await fixture.latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: found)
        var other = task(id)
        other.account = second.id
        return other
    }

    @Test(
        "DL-2 DL-11 a picture that two accounts share is fetched once, also when both start to fetch it at the same time"
    )
    func twoAccounts() async throws {
        let other = try await taskOfAnotherAccount()
        #expect(try await bring([task(id), other], to: library()) == 2)
        #expect(try fixture.files() == ["IMG_1.jpg"])
        #expect(fixture.server.requests.count { $0.path == "/files/\(id)" } == 1)
    }

    @Test("DL-11 while one account fetches a shared picture, the other account's task is not read repeatedly")
    func waitsForSharedPicture() async throws {
        let other = try await taskOfAnotherAccount()
        fixture.stall(id, after: 5_000)
        let library = CountingLibrary(inner: library())
        let queue = fixture.queue(library: library)
        try await queue.add([task(id), other])
        let events = queue.events
        let run = Task { try await queue.run() }
        var (isRunning, beats) = (false, 0)
        for await event in events {
            if case .progress(_, 5_000, _) = event { isRunning = true }
            if isRunning, case .overall = event { beats += 1 }
            if beats == 8 { break }
        }
        let asked = library.asked
        #expect(asked < 6, "\(asked)")
        fixture.intercept { _ in nil }
        fixture.server.cut()
        try await run.cancellableValue
        #expect(try fixture.files() == ["IMG_1.jpg"])
        #expect(try await queue.progress().open == 0)
    }

    @Test("DL-13 after a search of the folder that failed, as on a full disk, the next caller searches again")
    func retriesFailedSearch() async throws {
        try await bring([task(id)], to: library())
        let files = FileManager.default
        try files.moveItem(atPath: fixture.library + "/IMG_1.jpg", toPath: fixture.library + "/sea.jpg")
        let (library, database) = (library(), fixture.latch.accounts.database)
        try await database.write {
            _ = try $0.run(
                .init("CREATE TRIGGER full BEFORE UPDATE ON library_files BEGIN SELECT RAISE(FAIL, 'full'); END"))
        }
        await #expect(throws: LatchError.self) { _ = try await library.existing(task(id)) }
        try await database.write { _ = try $0.run(.init("DROP TRIGGER full")) }
        #expect(try await library.existing(task(id)) == fixture.library + "/sea.jpg")
    }

    @Test("DL-11 a file that was moved within the folder is found by its attribute, also if the index is lost")
    func moved() async throws {
        try await bring([task(id)], to: library())
        let files = FileManager.default
        try files.createDirectory(atPath: fixture.library + "/Best/2024", withIntermediateDirectories: true)
        try files.moveItem(atPath: fixture.library + "/IMG_1.jpg", toPath: fixture.library + "/Best/2024/sea.jpg")
        #expect(try await library().existing(task(id)) == fixture.library + "/Best/2024/sea.jpg")

        try await fixture.latch.accounts.database.write { _ = try $0.run(.init("DELETE FROM library_files")) }
        #expect(try await bring([task(id)], to: library()) == 0)
        #expect(try await library().existing(task(id)) == fixture.library + "/Best/2024/sea.jpg")
    }

    @Test(
        "DL-11 a file that was removed from the folder is fetched again on request; a changed one is kept")
    func removed() async throws {
        try await bring([task(id)], to: library())
        try Data("edited".utf8).write(to: URL(filePath: fixture.library + "/IMG_1.jpg"))
        #expect(try await bring([task(id)], to: library()) == 0)

        try FileManager.default.removeItem(atPath: fixture.library + "/IMG_1.jpg")
        #expect(try await bring([task(id)], to: library()) == 1)
        #expect(try fixture.file("IMG_1.jpg") == fixture.bytes(of: id))
    }

    @Test("DL-11 downloaded files are still known after the account signs out and in again")
    func survivesSignOut() async throws {
        try await bring([task(id)], to: library())
        try await fixture.latch.accounts.database.write { _ = try $0.run(.init("DELETE FROM accounts")) }
        var again = task(id)
        again.account = UUID()
        #expect(try await library().existing(again) != nil)
    }

    @Test("DL-11 a different file under a known id is saved beside the old one")
    func replaced() async throws {
        var first = task(id)
        first.metadata.sha1 = try await sha1(fixture.bytes(of: id))
        try await bring([first], to: library())
        let bytes = Array("another picture".utf8)
        fixture.intercept { $0.path == "/files/\(id)" ? .file(bytes, to: $0, entityTag: "\"2\"") : nil }
        var second = task(id)
        second.metadata.sha1 = try await sha1(bytes)
        #expect(try await bring([second], to: library()) == 1)
        #expect(try fixture.files() == ["IMG_1 (2).jpg", "IMG_1.jpg"])
        #expect(try await bring([second], to: library()) == 0)
    }

    private func sha1(_ bytes: [UInt8]) async throws -> [UInt8]? {
        let part = try DownloadPart(path: fixture.folder.path + "/digest")
        try await part.append(bytes)
        try await part.beginDigest(of: bytes.count)
        defer { part.remove() }
        return part.finishDigest()
    }

    @Test("DL-11 two files with the same name are both kept")
    func collision() async throws {
        let other = "b422af9a-1368-4a64-8846-a7e256c88ad2"
        try await bring([task(id), task(other)], to: library())
        #expect(try fixture.files() == ["IMG_1 (2).jpg", "IMG_1.jpg"])
        let bytes = try [fixture.file("IMG_1.jpg"), fixture.file("IMG_1 (2).jpg")]
        #expect(Set(bytes) == [fixture.bytes(of: id), fixture.bytes(of: other)])
    }

    @Test("DL-11 files are sorted by month of the camera's clock; those without a time are in a separate folder")
    func months() async throws {
        let newYear = Date(timeIntervalSince1970: 1_704_067_800)  // 2024-01-01 00:10 UTC
        var travelled = task(id, taken: newYear)
        travelled.metadata.takenLocally = newYear.addingTimeInterval(-5 * 3600)
        try await bring(
            [travelled, task("b422af9a-1368-4a64-8846-a7e256c88ad2", name: "b.jpg")], to: library(.date))
        #expect(try fixture.files().filter { $0.hasSuffix("jpg") } == ["2023/12/IMG_1.jpg", "undated/b.jpg"])
    }

    @Test("DL-11 with the DCIM layout a folder has a thousand files, and both parts of a live photo")
    func dcimLayout() async throws {
        let files = FileManager.default
        try files.createDirectory(atPath: fixture.library + "/104IMMIC", withIntermediateDirectories: true)
        for number in 0..<999 {
            #expect(files.createFile(atPath: fixture.library + "/104IMMIC/old-\(number).jpg", contents: nil))
        }
        let library = library(.dcim)
        let pair = fixture.pair("live")
        let paths = try [
            library.destination(of: pair[0], attempt: 0), library.destination(of: task(id), attempt: 0),
            library.destination(of: pair[1], attempt: 0), library.destination(of: pair[0], attempt: 1),
        ]
        #expect(
            paths.map { $0.dropFirst(fixture.library.count + 1) } == [
                "104IMMIC/live.jpg", "105IMMIC/IMG_1.jpg", "104IMMIC/live.MOV", "104IMMIC/live (2).jpg",
            ])
    }

    @Test("DL-6 both parts of a live photo are fetched if one is missing")
    func livePhotoParts() async throws {
        var pair = fixture.pair(id)
        pair[1].id = "533f5ae4-5b16-42e1-9703-8972f0e830fd"
        try await bring(pair, to: library())
        #expect(try await library().absent(pair).isEmpty)
        try FileManager.default.removeItem(atPath: fixture.library + "/\(id).MOV")
        #expect(try await library().absent(pair).count == 2)
    }

    @Test("DL-13 a folder that cannot be created is reported with the remedy")
    func refused() async throws {
        let library = PictureLibrary(fixture.latch, folder: "/proc/nobody/Pictures")
        let queue = fixture.queue(library: library)
        try await queue.add([task(id)])
        let error = await #expect(throws: LatchError.self) { try await queue.run() }
        #expect(error?.code == .fileFailed && error?.message.contains("/proc/nobody") == true)
        #expect(error?.message.contains("Choose another folder") == true)
    }

    @Test(
        "DL-13 a name never leaves the folder",
        arguments: [
            "../../etc/passwd", "/etc/passwd", "..", ".", "", "\0", "a\0b.jpg", "con.jpg",
            "x" + String(repeating: "y", count: 300),
            "a" + String(repeating: "\u{301}", count: 400), "C:\\Windows\\x.jpg", "\u{202E}gpj.exe", " .hidden. ",
        ])
    func hostileNames(_ name: String) async throws {
        let library = library()
        for attempt in [0, 1, 999] {
            let path = try library.destination(of: task(id, name: name), attempt: attempt)
            let rest = path.dropFirst(fixture.library.count + 1)
            #expect(path.hasPrefix(fixture.library + "/") && !rest.contains("/") && !rest.hasPrefix("."))
            #expect((1...255).contains(rest.utf8.count))
        }
    }
}
