import Foundation
import Synchronization
import TestSupport
import Testing

/// `latch download` of a file that is here.
@Suite("Files that are already downloaded", .blocking, .timeLimit(.minutes(20))) struct DownloadAgainTests {
    private final class Version: Sendable {
        let number = Mutex(1)
    }

    /// A server whose file has a version.
    private func fixture(_ version: Version = Version()) async throws -> FileServerFixture {
        let fixture = try await FileServerFixture()
        fixture.intercept { request in
            guard request.path.hasPrefix("/files/a.bin") else { return nil }
            let number = version.number.withLock { $0 }
            if request.headers["if-none-match"] == "\"\(number)\"" { return .init(status: 304) }
            return .file(Self.bytes(number), to: request, entityTag: "\"\(number)\"")
        }
        return fixture
    }

    private static func bytes(_ number: Int) -> [UInt8] { FileServerFixture.bytes("a.bin of version \(number)") }

    @Test("DL-6 DL-11 an option that is not given leaves the stored layout and form of live photos as they are")
    func storedOptions() async throws {
        let fixture = try await FileServerFixture()
        func stored(_ words: String...) async throws -> String {
            let result = try await fixture.home.latch(
                ["download", "--to", fixture.home.folder.file("Files")] + words)
            #expect(result.status == 0, "\(result.errors)")
            return try await fixture.home.sql("SELECT layout, motion_photos FROM libraries")
        }
        #expect(try await stored("/files/a.bin") == "flat 0\n")
        #expect(try await stored("/files/b.bin", "--layout", "date", "--motion-photo") == "date 1\n")
        #expect(try await stored("/files/c.bin") == "date 1\n")
        #expect(try await stored("/files/d.bin", "--no-motion-photo") == "date 0\n")
        #expect(try await stored("/files/e.bin") == "date 0\n")
        let both = try await fixture.download("/files/f.bin", "--motion-photo", "--no-motion-photo")
        #expect(both.status == 64 && both.errors.contains("cannot be combined"), "\(both.errors)")
    }

    @Test("DL-11 a file that changed on the server is reported, and --again saves it beside the old one")
    func changed() async throws {
        let version = Version()
        let fixture = try await fixture(version)
        let first = try await fixture.download("/files/a.bin")
        let same = try await fixture.download("/files/a.bin")
        version.number.withLock { $0 = 2 }
        let changed = try await fixture.download("/files/a.bin")
        let dry = try await fixture.download("/files/a.bin", "--dry-run", "--json")
        let json = try await fixture.download("/files/a.bin", "--json")
        let again = try await fixture.download("/files/a.bin", "--again")
        let known = try await fixture.download("/files/a.bin")

        #expect(first.status == 0 && fixture.file("a.bin") == Self.bytes(1), "\(first.errors)")
        #expect(same.status == 0 && same.errors == "The file is already here. To download it anyway: --again\n")
        #expect(
            changed.errors == """
                The file is already here.
                Changed on the server since: 'a.bin'. To download the new version next to the existing file: --again

                """)
        #expect(changed.status == 0 && changed.output.isEmpty)
        #expect(try HomeFixture.json(dry)["filesChanged"] as? Int == 1 && HomeFixture.json(dry)["files"] as? Int == 0)
        #expect(try HomeFixture.json(json)["event"] as? String == "changed")
        #expect(again.status == 0 && fixture.file("a (2).bin") == Self.bytes(2), "\(again.errors)")
        #expect(fixture.file("a.bin") == Self.bytes(1))
        #expect(known.errors.hasPrefix("The file is already here. To download"), "\(known.errors)")
    }

    @Test("DL-11 --again also fetches unchanged files, and is refused for pictures")
    func refetches() async throws {
        let fixture = try await fixture()
        for _ in 0..<3 { _ = try await fixture.download("/files/a.bin", "--again") }
        #expect(["a.bin", "a (2).bin", "a (3).bin"].allSatisfy { fixture.file($0) == Self.bytes(1) })
        for arguments in [["--all"], ["/files/a.bin", "--favourites"], [], [UUID().uuidString]] {
            let refused = try await fixture.home.latch(["download", "--again"] + arguments)
            #expect(refused.status == 64 && refused.errors.contains("--again is only for URLs"), "\(refused.errors)")
        }
    }

    @Test("DL-11 a removed file counts as missing even if another file has its name")
    func sameName() async throws {
        let fixture = try await FileServerFixture()
        _ = try await fixture.download("/files/one/a.bin")
        try FileManager.default.removeItem(atPath: fixture.home.folder.file("Files/a.bin"))
        _ = try await fixture.download("/files/other/a.bin")
        let one = try await fixture.download("/files/one/a.bin")
        #expect(one.status == 0 && fixture.file("a (2).bin") == FileServerFixture.bytes("one/a.bin"), "\(one.errors)")
        #expect(fixture.file("a.bin") == FileServerFixture.bytes("other/a.bin"))
    }

    @Test(
        "DL-11 if the server is unreachable or sends no version, the downloaded file stays unchanged",
        arguments: [0, 200, 404, 405, 503])
    func unknownVersion(_ status: Int) async throws {
        let fixture = try await fixture()
        _ = try await fixture.download("/files/a.bin")
        if status == 0 {
            fixture.server.beginOutage()
        } else {
            let page = [("Content-Type", "text/html"), ("ETag", "\"page\"")]
            let response = FaultServer.Response(status: status, headers: status == 200 ? page : [])
            fixture.intercept { $0.method == "HEAD" ? response : nil }
        }
        let again = try await fixture.download("/files/a.bin")
        #expect(again.status == 0 && again.errors.hasPrefix("The file is already here. To download"), "\(again.errors)")
    }
}
