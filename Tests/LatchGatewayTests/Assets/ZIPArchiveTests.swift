import Foundation
import HTTPMessages
import HTTPServer
import PictureLibrary
import TestSupport
import Testing

/// Archives sent by a real server, got by curl and read by `unzip`, `zipinfo` and Python's zipfile.
@Suite("ZIP archives", .timeLimit(.minutes(20)))
struct ZIPArchiveTests {
    /// What Python's zipfile finds: each file's name, size, whether it is UTF-8, stored, and its content's check sum.
    private static let reading = """
        import sys, zipfile, hashlib
        with zipfile.ZipFile(sys.argv[1]) as archive:
            assert archive.testzip() is None
            for info in archive.infolist():
                assert info.flag_bits == 0x808 and info.compress_type == 0 and info.compress_size == info.file_size
                digest = hashlib.sha1(archive.read(info)).hexdigest() if info.file_size < 1 << 24 else '-'
                print(info.filename, info.file_size, digest, '%04d-%02d-%02dT%02d:%02d:%02d' % info.date_time, sep='|')
        """

    @Test("files are unpacked with the same content and times, under safe and unique names")
    func contents() async throws {
        let fixture = try await ArchiveFixture { folder in
            [("IMG_1.jpg", "a"), ("IMG_1.jpg", "b"), ("../Grüße 🌅.heic", "c"), ("", "empty")].map { name, path in
                try! ZIPArchive.Entry(name: name, path: path, beneath: folder)
            }
        }
        let large = patternBytes(700_001)
        for (name, bytes) in [("a", large), ("b", [1, 2, 3]), ("c", Array(large[..<131_072])), ("empty", [])] {
            try Data(bytes).write(to: URL(fileURLWithPath: fixture.folder.file(name)))
            let time = timespec(tv_sec: 1_700_000_000, tv_nsec: 0)
            _ = utimensat(AT_FDCWD, fixture.folder.file(name), [time, time], 0)
        }
        let archive = try #require(try await fixture.got())
        let python = try await Program.run("python3", ["-c", Self.reading, archive])
        #expect(python.status == 0, "\(python.errors)")
        let sums = try await Program.run("sha1sum", ["a", "b", "c", "empty"], directory: fixture.folder.path)
        let digests = sums.output.split(separator: "\n").map { $0.prefix(40) }
        let names = ["IMG_1.jpg", "IMG_1+1.jpg", "..Grüße 🌅.heic", "unnamed"]
        let sizes = [700_001, 3, 131_072, 0]
        let expected = zip(zip(names, sizes), digests).map { "\($0.0)|\($0.1)|\($1)|2023-11-14T22:13:20" }
        #expect(python.output.split(separator: "\n").map(String.init) == expected)
        let unzip = try await Program.run("unzip", ["-t", archive])
        #expect(unzip.status == 0 && unzip.output.contains("No errors detected"), "\(unzip.output)\(unzip.errors)")
        let info = try await Program.run("zipinfo", ["-l", archive])
        #expect(info.status == 0 && info.errors.isEmpty && info.output.contains("-rw-r--r--"), "\(info.output)")
        await fixture.stop()
    }

    @Test("an empty archive is valid")
    func empty() async throws {
        let fixture = try await ArchiveFixture { _ in [] }
        let archive = try #require(try await fixture.got())
        #expect(try await Program.run("python3", ["-c", Self.reading, archive]).status == 0)
        await fixture.stop()
    }

    @Test(
        "the archive is cut off if a file is deleted, became an outside link, or changed its size",
        arguments: ["gone", "link", "longer", "shorter"])
    func changed(_ how: String) async throws {
        let fixture = try await ArchiveFixture { folder in
            ["first", how].map { name in
                ZIPArchive.Entry(name: name, path: name, beneath: folder, size: 3, modified: .seconds(0))
            }
        }
        try fixture.folder.write("one", to: "first")
        symlink("/etc/hostname", fixture.folder.file("link"))
        try fixture.folder.write("four", to: "longer")
        try fixture.folder.write("2", to: "shorter")
        #expect(try await fixture.got() == nil)
        await fixture.stop()
    }
}
