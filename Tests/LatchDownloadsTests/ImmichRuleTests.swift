import Foundation
import HTTPMessages
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// How Immich treats files, as docs/protocols/immich.md describes it.
@Suite("Immich's rules for files", .timeLimit(.minutes(20)))
struct ImmichRuleTests {
    private let fixture: DownloadFixture
    private let still = "d7c89754-9ee7-494f-b6b8-a1533b0e333e"
    private let video = "533f5ae4-5b16-42e1-9703-8972f0e830fd"

    init() async throws { fixture = try await DownloadFixture() }

    private func tasks(_ members: String, video: LiveVideoFacts? = nil) throws -> [DownloadTask] {
        let text = #"{"id":"\#(still)",\#(members)}"#
        let reading = ImmichAssetReading(account: fixture.account.id, api: "/files")
        return reading.tasks(try JSONValue(parsing: Array(text.utf8)), video: video)
    }

    @Test("a complete part is never requested beyond its end, and a response header never changes the file's name")
    func ranges() async throws {
        let bytes = fixture.bytes(of: "a")
        fixture.intercept { request in
            guard request.path == "/files/a" else { return nil }
            var response = FaultServer.Response.file(bytes, to: request)
            // Beyond its end it answers as for a file that is not there.
            if response.status == 416 { response.status = 404 }
            response.headers.append(("Content-Disposition", "inline; filename*=UTF-8''..%2Felsewhere.jpg"))
            return response
        }
        let run = Mutex<Task<Void, any Error>?>(nil)
        let stopped = DownloadQueue(
            fixture.latch, library: FolderLibrary(folder: fixture.library), settings: .init(), now: { Date() },
            hook: DownloadHook { step in
                guard step == .fetched else { return }
                run.withLock { $0?.cancel() }
                throw CancellationError()
            })
        try await stopped.add([fixture.task("a")])
        run.withLock { $0 = Task { try await stopped.run() } }
        _ = await run.withLock { $0 }?.result
        #expect(fixture.parts().count == 1)

        try await fixture.queue().run()
        let range = fixture.server.requests.last { $0.path == "/files/a" }?.headers["range"]
        #expect(range == "bytes=\(bytes.count - 1)-")
        #expect(try fixture.files() == ["a.jpg"] && fixture.file("a.jpg") == bytes)
    }

    @Test("the checksum is mandatory for an uploaded file, and advisory for one of an external library")
    func checksums() async throws {
        let wrong = Data(repeating: 7, count: 20).base64EncodedString()
        let url = fixture.task(still).url
        for (library, isHome) in [("null", false), (#""b422af9a-1368-4a64-8846-a7e256c88ad2""#, true)] {
            var task = try #require(
                tasks(#""originalFileName":"a.jpg","checksum":"\#(wrong)","libraryId":\#(library)"#).first)
            #expect(task.url == "/files/assets/\(still)/original")
            task.url = url
            let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
            try await queue.add([task])
            try await queue.run()
            #expect(try fixture.files() == (isHome ? ["a.jpg"] : []))
            try await queue.clear()
        }
    }

    @Test("a photograph with a film is two tasks with two ids; without a film, or with null, it is one task")
    func livePhotos() throws {
        for members in [#""livePhotoVideoId":null"#, #""originalPath":"/a""#, #""livePhotoVideoId":"\#(still)""#] {
            #expect(try tasks(#""originalFileName":"IMG_1.HEIC","# + members).map(\.group) == [.image])
        }
        let pair = try tasks(#""originalFileName":"IMG_1.HEIC","livePhotoVideoId":"\#(video)""#)
        #expect(pair.map(\.id) == [still, video] && pair.allSatisfy { $0.group == .livePhoto })
        #expect(pair.map(\.url) == ["/files/assets/\(still)/original", "/files/assets/\(video)/original"])
        #expect(pair.map(\.metadata.part) == [.image, .video] && pair.allSatisfy { $0.metadata.liveID == still })
        // In no list by itself.
        #expect(try tasks(#""type":"VIDEO","visibility":"hidden""#).isEmpty)
        #expect(try tasks(#""type":"VIDEO","isVisible":false"#).isEmpty)
    }

    @Test("files are fetched individually and not as an archive, and equal names are numbered")
    func archives() async throws {
        let other = "b422af9a-1368-4a64-8846-a7e256c88ad2"
        let queue = fixture.queue()
        try await queue.add([still, other].map { fixture.task($0, name: "IMG_1.jpg") })
        try await queue.run()
        #expect(try fixture.files() == ["IMG_1 (2).jpg", "IMG_1.jpg"])
        #expect(!fixture.server.requests.contains { $0.path.contains("archive") })
    }

    @Test(
        "a name with .MP is one task that contains the film; other films without a video extension get .MOV",
        arguments: [
            ("PXL_1.MP.jpg", nil, ["PXL_1.MP.jpg"]), ("PXL_1.MP~2.jpg", nil, ["PXL_1.MP~2.jpg"]),
            ("IMG_1.HEIC", nil, ["IMG_1.HEIC", "IMG_1.MOV"]), ("IMG_1.JPG", ".JPG", ["IMG_1.JPG", "IMG_1.MOV"]),
            ("IMG_1.jpg", ".JPG", ["IMG_1.jpg", "IMG_1.MOV"]), ("IMG_1.jpg", ".mp4", ["IMG_1.jpg", "IMG_1.mp4"]),
            ("CLIP.MPEG.jpg", nil, ["CLIP.MPEG.jpg", "CLIP.MPEG.MOV"]),
        ] as [(String, String?, [String])])
    func names(_ name: String, _ ending: String?, _ files: [String]) throws {
        let facts = ending.map { LiveVideoFacts(size: nil, sha1: nil, isDigestAdvice: false, ending: $0) }
        let tasks = try tasks(#""originalFileName":"\#(name)","livePhotoVideoId":"\#(video)""#, video: facts)
        #expect(tasks.map(\.filename) == files)
        #expect(tasks.allSatisfy { ($0.group == .livePhoto) == (files.count == 2) })
        #expect((tasks.first?.metadata.liveID == nil) == (files.count == 1))
    }
}
