import Foundation
import HTTPMessages
import TestSupport
import Testing

/// Disks that can do less than this one: FAT, network drives, drives of user space.
@Suite("File systems with few features", .blocking, .serialized, .timeLimit(.minutes(20)))
struct PlainDiskTests {
    /// What a disk cannot do.
    enum Disk: String, CaseIterable, CustomTestStringConvertible {
        /// This one, on which the kernel refuses a rename without replacing, and a link, as on FAT. On a disk of fusefat 0.1 a
        /// file is refused for good once in some dozens of kills, for a reason that was not found.
        case noLink
        /// This one, on which the kernel refuses a rename without replacing.
        case onlyLink

        var testDescription: String { rawValue }

        /// strace's rules for what the kernel refuses.
        var rules: [String] {
            switch self {
            case .noLink: ["-e", "inject=renameat2:error=EINVAL", "-e", "inject=link,linkat:error=EPERM"]
            case .onlyLink: ["-e", "inject=renameat2:error=EINVAL"]
            }
        }

        /// The call between the two steps in which a part gets its name.
        var between: String { self == .onlyLink ? "unlink" : "rename" }
    }

    @Test(
        "DL-2 DL-17 after a crash between the steps of renaming, every file is complete and downloaded once",
        arguments: Disk.allCases)
    func killed(_ disk: Disk) async throws {
        var random = SeededRandom(for: "Disks that can do little")
        let bulk = try await Bulk(60, pairs: 10, length: 60_000, &random)
        let folder = try TemporaryDirectory()
        let home = folder.file("home")
        try await bulk.begin(in: home)
        try await kill(disk, bulk, home, &random)
    }

    @Test(
        "DL-2 DL-12 on FAT a file that is cancelled after a crash leaves no empty file",
        .enabled("This system mounts no disk for a program (fusefat).") { try await FATDisk.isPossible.value },
        arguments: [[], ["0", "1", "2"]])
    func cancelled(_ ids: [String]) async throws {
        var random = SeededRandom(for: "Disks that can do little")
        let bulk = try await Bulk(3, length: 500, &random)
        let folder = try TemporaryDirectory()
        let home = folder.file("home")
        let disk = try await FATDisk.mount(at: home + "/Pictures", in: folder)
        let probe = try Products.path("QueueProbe")
        try await bulk.begin(in: home)
        let killed = try await Program.run(
            "strace",
            ["-f", "-qq", "-o", "/dev/null", "-e", "trace=rename", "-e", "inject=rename:signal=KILL:when=1"]
                + [probe, home, "run"])
        let left = try FileManager.default.contentsOfDirectory(atPath: home + "/Pictures").filter {
            $0 != ".latchstring"
        }
        let cancelled = try await Program.run(probe, [home, "cancel"] + ids)
        let files = try FileManager.default.contentsOfDirectory(atPath: home + "/Pictures")
        let parts = try FileManager.default.contentsOfDirectory(atPath: home + "/Pictures/.latchstring")
        await disk.unmount()
        #expect(killed.status == 137 && left.count == 1, "\(killed.output)\(killed.errors)\(left)")
        #expect(cancelled.output.hasPrefix("cancelled 3\n"), "\(cancelled.output)\(cancelled.errors)")
        #expect(files == [".latchstring"] && parts.isEmpty, "\(files) \(parts)")
    }

    private func kill(_ disk: Disk, _ bulk: Bulk, _ home: String, _ random: inout SeededRandom) async throws {
        let probe = try Products.path("QueueProbe")
        var (kills, left) = (0, 0)
        while true {
            let number = 1 + random.next() % 3
            let rules = disk.rules + ["-e", "inject=\(disk.between):signal=KILL:when=\(number)"]
            let result = try await Program.run(
                "strace",
                ["-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat2,link,linkat,rename,unlink"] + rules
                    + [probe, home, "run"])
            guard result.status == 137 else {
                #expect(result.status == 0, "\(result.errors)")
                break
            }
            kills += 1
            left += try empty(home).count
        }
        print("\(disk): killed \(kills) times, \(left) empty files stood for others.")
        #expect(kills > 5 && (left > 0) == (disk != .onlyLink))
        // What the last run did, done again on the same disk.
        let arguments = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat2,link,linkat"] + disk.rules
        let result = try await Program.run("strace", arguments + [probe, home, "run"])
        #expect(result.status == 0, "\(result.errors)")
        try await bulk.finish(in: home, "\(disk), LATCHSTRING_SEED=\(random.seed)")
    }

    /// The files without bytes in the folder; one of the bulk has none.
    private func empty(_ home: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: home + "/Pictures")
        return try names.filter { name in
            let file = try FileManager.default.attributesOfItem(atPath: home + "/Pictures/" + name)
            return name != "IMG_59.jpg" && file[.type] as? FileAttributeType == .typeRegular && file[.size] as? Int == 0
        }
    }

    @Test(
        "DL-2 DL-11 DL-13 on FAT nothing fails and nothing is fetched twice, whatever the files are called",
        .enabled("This system mounts no disk for a program (fusefat).") { try await FATDisk.isPossible.value })
    func names() async throws {
        let names = [
            "Möwe.jpg", "IMG_1.jpg", "img_1.JPG", "was: so?.jpg", "😀.png", "trailing. .jpg", "CON.jpg",
            String(repeating: "lang", count: 80) + ".jpg",
        ]
        let pictures = names.enumerated().map { number, name in
            PictureServer.Picture(number + 1, name, Array("picture \(number) \(name)".utf8))
        }
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3, 0xFF, 0xD9]
        var still = PictureServer.Picture(100, "Läufer.jpg", jpeg)
        var video = PictureServer.Picture(101, "Läufer.MOV", Array("video".utf8))
        (still.video, video.visibility) = (video.id, "hidden")
        let server = try PictureServer(pictures + [still, video])
        let fixture = try await PictureFixture(signedInTo: server)
        let disk = try await FATDisk.mount(at: fixture.base.folder.file("disk"), in: fixture.base.folder)
        let folder = disk.path + "/Pictures"
        let first = try await fixture.latch("download", "--all", "--to", folder)
        let fetched = server.server.requests.count { $0.path.hasSuffix("/original") }
        let second = try await fixture.latch("download", "--all", "--to", folder)
        let joined = try await fixture.latch("download", still.id, "--to", disk.path + "/One", "--motion-photo")
        let (files, one) = (fixture.files(in: folder), fixture.files(in: disk.path + "/One"))
        let found = try files.map { try Data(contentsOf: URL(filePath: folder + "/" + $0)) }
        let parts = try FileManager.default.contentsOfDirectory(atPath: folder + "/.latchstring")
        await disk.unmount()

        #expect(first.status == 0 && first.output.contains("10 files downloaded"), "\(first.output)\(first.errors)")
        #expect(second.errors.contains("All 10 files are already here"), "\(second.output)\(second.errors)")
        #expect(fetched == 10 && parts.isEmpty)
        #expect(Set(found) == Set((pictures + [still, video]).map { Data($0.bytes) }) && found.count == 10, "\(files)")
        #expect(files.contains("L_ufer.jpg") && files.contains("L_ufer.MOV"), "\(files)")
        #expect(joined.status == 0 && one == ["L_ufer.MP.jpg"], "\(one) \(joined.errors)")
    }

    @Test("DL-13 a folder in which files cannot be locked is reported as such, and not as another download")
    func locks() async throws {
        let server = try PictureServer([.init(1, "a.jpg", Array("a".utf8))])
        let fixture = try await PictureFixture(signedInTo: server)
        let part = try await fixture.partPath(of: PictureServer.Picture.id(1))
        // The kernel refuses to lock that one file, as it does on a network drive without a lock daemon.
        let refused = try await fixture.latch(
            ["download", "--all"],
            through: [
                "strace", "-f", "-qq", "-o", "/dev/null", "-P", part, "-e", "trace=flock", "-e",
                "inject=flock:error=ENOLCK",
            ])
        let list = try await fixture.latch("downloads", "list").output
        #expect(refused.status == 1 && fixture.files().isEmpty, "\(refused.errors)")
        #expect(list.contains("files cannot be locked in that folder"), "\(list)")
        #expect(list.contains("Choose another folder") && !list.contains("another download is writing"), "\(list)")
    }
}
