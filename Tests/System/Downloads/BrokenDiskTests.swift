import Crypto
import Foundation
import HTTPMessages
import TestSupport
import Testing

/// Disks that fail to take what they are given, and those that take no such thing.
@Suite("Failing disks", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct BrokenDiskTests {
    private static let bytes = patternBytes(300_000)

    private let server: PictureServer
    private let fixture: PictureFixture

    init() async throws {
        var (still, video) = (
            PictureServer.Picture(1, "IMG_1.jpg", Self.bytes), PictureServer.Picture(2, "IMG_1.MOV", Self.bytes)
        )
        (still.video, video.visibility) = (video.id, "hidden")
        server = try PictureServer([still, video, .init(3, "IMG_3.jpg", Self.bytes)])
        fixture = try await PictureFixture(signedInTo: server)
    }

    /// Has the kernel refuse something of one part while what is chosen is fetched.
    private func download(
        _ id: String, _ call: String, _ error: String
    ) async throws -> Program.Result {
        let part = try await fixture.partPath(of: id)
        return try await fixture.latch(
            ["download", "--all"],
            through: [
                "strace", "-f", "-qq", "-o", "/dev/null", "-P", part, "-e", "trace=\(call)", "-e",
                "inject=\(call):error=\(error)",
            ])
    }

    private func asked(_ id: String) -> [FaultServer.Request] {
        server.server.requests.filter { $0.path.hasSuffix("\(id)/original") }
    }

    @Test(
        "DL-13 after a failed write the part is deleted, and the next attempt starts at the beginning",
        arguments: [3, 1])
    func flush(_ number: Int) async throws {
        let id = PictureServer.Picture.id(number)
        let failed = try await download(id, "fsync", "EIO")
        #expect(failed.status == 1 && failed.errors.contains("Input/output error"), "\(failed.errors)")
        let home = number == 3 ? ["IMG_1.MOV", "IMG_1.jpg"] : ["IMG_3.jpg"]
        #expect(fixture.files() == home && fixture.parts().isEmpty)
        #expect(asked(id).count == 1)

        try await #require(fixture.latch("downloads", "retry").status == 0)
        let again = try await fixture.latch("download")
        #expect(again.status == 0 && fixture.files() == ["IMG_1.MOV", "IMG_1.jpg", "IMG_3.jpg"], "\(again.errors)")
        #expect(asked(id).count == 2 && asked(id).last?.headers["range"] == nil)
        for name in fixture.files() { #expect(try fixture.bytes(name) == Self.bytes) }
    }

    @Test(
        "DL-13 a disk that refuses a file size or a name length is reported as such",
        arguments: [
            ("write", "EFBIG", "does not allow files of this size"),
            ("openat", "ENAMETOOLONG", "does not allow names of this length"),
        ])
    func lengths(_ call: String, _ error: String, _ sentence: String) async throws {
        let failed = try await download(PictureServer.Picture.id(3), call, error)
        let list = try await fixture.latch("downloads", "list").output
        #expect(failed.status == 1 && fixture.files() == ["IMG_1.MOV", "IMG_1.jpg"], "\(failed.errors)")
        #expect(list.contains("\(sentence); choose another disk"), "\(list)")
    }
}
