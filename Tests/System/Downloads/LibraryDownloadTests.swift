import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// `latch download` and `latch downloads`, the built programs, with the sandbox's library of pictures.
@Suite("Downloading a library", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct LibraryDownloadTests {
    private static let all = [
        "Bildschirm 2024-08-09.png", "Großes Panorama.jpg", "Gruppenbild.jpg", "IMG_0001.JPG", "IMG_0001.MOV",
        "IMG_0002.JPG", "IMG_0002.MOV", "Möwen über Dächern.jpg", "Strand bei Ebbe.jpg", "Wellen am Strand.mp4",
    ]

    private func sandbox() async throws -> (RunningSandbox, PictureFixture) {
        let fixture = try SystemFixture()
        let inside = SystemFixture(sharing: fixture, ["TMPDIR": fixture.folder.path])
        let sandbox = try await RunningSandbox(inside)
        guard let url = sandbox.json["immich"]?["url"]?.string else { throw ChildProcess.Failure("No Immich.") }
        return (
            sandbox,
            try await PictureFixture(signedInTo: url, email: sandbox.email, password: sandbox.password, in: inside)
        )
    }

    /// The sandbox's own files by their names, with their bytes.
    private func originals(_ fixture: PictureFixture) throws -> [String: Data] {
        let files = FileManager.default
        let root = try #require(
            files.contentsOfDirectory(atPath: fixture.base.folder.path).first { $0.hasPrefix("latchd-sandbox") })
        let pictures = fixture.base.folder.file(root + "/pictures")
        var found: [String: Data] = [:]
        for case let path as String in files.enumerator(atPath: pictures) ?? .init() {
            if let data = files.contents(atPath: pictures + "/" + path) {
                found[URL(filePath: path).lastPathComponent] = data
            }
        }
        return found
    }

    @Test("DL-1 DL-2 DL-3 DL-9 DL-11 the whole library is downloaded unchanged, and a second run fetches nothing")
    func wholeLibrary() async throws {
        let (sandbox, fixture) = try await sandbox()
        let planned = try await fixture.latch("download", "--all", "--dry-run", "--json")
        let first = try await fixture.latch("download", "--all")
        let second = try await fixture.latch("download", "--all")
        let originals = try originals(fixture)
        await sandbox.end()

        let plan = try #require(try PictureFixture.events(planned.output).first)
        #expect(plan["files"] == 10 && plan["filesOfUnknownSize"] == 0)
        #expect(plan["bytes"]?.number == Double(Self.all.reduce(0) { $0 + (originals[$1]?.count ?? 0) }))
        #expect(first.status == 0 && first.output.contains("10 files downloaded"), "\(first.errors)")
        #expect(second.status == 0 && second.errors.contains("All 10 files are already here"))
        #expect(fixture.files() == Self.all.sorted() && fixture.parts().isEmpty)
        for name in Self.all { #expect(try Data(fixture.bytes(name)) == originals[name], "\(name)") }

        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.library + "/IMG_0001.JPG")
        let captureTime = try Date("2024-07-03T13:20:10Z", strategy: .iso8601)
        #expect(attributes[.modificationDate] as? Date == captureTime)
        let id = DownloadPart.attribute("user.latchstring.asset", of: fixture.library + "/IMG_0001.JPG")
        #expect(id.flatMap(UUID.init) != nil)
    }

    @Test("DL-5 DL-6 an album: a live photo is a pair with one base name, and each file is in its group")
    func album() async throws {
        let (sandbox, fixture) = try await sandbox()
        let unknown = try await fixture.latch("download", "--album", "Sommer an der Se")
        let result = try await fixture.latch("download", "--album", "sommer AN DER see", "--layout", "date")
        let list = try await fixture.latch("downloads", "list", "--json")
        await sandbox.end()

        #expect(unknown.status == 65 && unknown.errors.contains("Did you mean 'Sommer an der See'?"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(fixture.files().count == 7 && fixture.files().allSatisfy { $0.hasPrefix("2024/07/") })
        #expect(fixture.files().filter { $0.contains("IMG_0001") } == ["2024/07/IMG_0001.JPG", "2024/07/IMG_0001.MOV"])
        let rows = try PictureFixture.events(list.output).first?["downloads"]?.array ?? []
        var groups: [String: Int] = [:]
        for row in rows { groups[row["group"]?.string ?? "", default: 0] += 1 }
        #expect(groups == ["group_image": 2, "group_video": 1, "group_livephoto": 4])
    }

    @Test("DL-1 a file that is selected several times is counted and fetched once")
    func severalTimes() async throws {
        let (sandbox, fixture) = try await sandbox()
        let arguments = ["--album", "Familie", "--album", "familie", "--album", "Sommer an der See"]
        let one = try await fixture.latch(["download", "--album", "Familie", "--dry-run", "--json"])
        let other = try await fixture.latch(["download", "--album", "Sommer an der See", "--dry-run", "--json"])
        let all = try await fixture.latch(["download", "--dry-run", "--json"] + arguments)
        let first = try await fixture.latch(["download"] + arguments)
        let id = try #require(DownloadPart.attribute("user.latchstring.asset", of: fixture.library + "/IMG_0001.JPG"))
        let again = try await fixture.latch(["download", "--dry-run", "--json", id, id.uppercased()] + arguments)
        await sandbox.end()

        func number(_ result: Program.Result, _ name: String) throws -> Double {
            try #require(try PictureFixture.events(result.output).first?[name]?.number)
        }
        let files = try number(one, "files") + number(other, "files")
        #expect(
            try number(all, "files") == files && number(all, "bytes") == number(one, "bytes") + number(other, "bytes"))
        #expect(first.errors.contains("\(Int(files)) files to download."), "\(first.errors)")
        #expect(first.output.contains("\(Int(files)) files downloaded"))
        #expect(try number(again, "files") == 0 && number(again, "filesHere") == files)
    }

    @Test("DL-7 DL-9 each event is a line of JSON: running files, complete files and the total progress")
    func events() async throws {
        let (sandbox, fixture) = try await sandbox()
        let result = try await fixture.latch("download", "--all", "--json")
        await sandbox.end()

        let events = try PictureFixture.events(result.output)
        let names = events.compactMap { $0["event"]?.string }
        #expect(names.count == events.count && names.last == "end")
        #expect(names.count { $0 == "complete" } == 10)
        let overall = try #require(events.last { $0["event"] == "overall" })
        #expect(overall["done"] == 10 && overall["open"] == 0 && overall["received"] == overall["total"])
        let running = events.filter { $0["state"] == "running" }.compactMap { $0["id"]?.string }
        #expect(Set(running).count == 10)
        #expect(events.last?["done"] == 10 && events.last?["failed"] == 0)
    }

    @Test("DL-1 invalid selections are reported exactly, and nothing is started")
    func invalidSelections() async throws {
        let (sandbox, fixture) = try await sandbox()
        let onyx = try await SystemFixture().latch("download", "--all")
        let cases: [(Program.Result, Int32, String)] = [
            (onyx, 77, "You are not signed in to any server"),
            (try await fixture.latch("download"), 64, "no files were selected"),
            (try await fixture.latch("download", "--dry-run"), 64, "no files were selected"),
            (try await fixture.latch("download", "--from", "2024-13"), 64, "a day, month or year"),
            (try await fixture.latch("download", "--from", "2024-02", "--until", "2024-01"), 64, "later than --until"),
            (try await fixture.latch("download", "IMG_0001.JPG"), 65, "neither the id of a picture"),
            (
                try await fixture.latch("download", "https://elsewhere.example/a.jpg"), 77,
                "You are not signed in to https://elsewhere.example"
            ),
            (try await fixture.latch("download", "--all", "--to", "/proc/none/here"), 1, "/proc/none/here"),
            (try await fixture.latch("downloads", "cancel", "nothing"), 65, "Not in the queue: 'nothing'"),
            (try await fixture.latch("download", "--all", "--album", "Familie"), 64, "give either"),
            (try await fixture.latch("download", "--all", "--to", ""), 64, "the path of a folder"),
        ]
        let before = fixture.files()
        let afterwards = try await fixture.latch("download", "--all")
        await sandbox.end()
        for (result, status, message) in cases {
            #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
        }
        #expect(before.isEmpty)
        #expect(afterwards.status == 0, "a folder that cannot be made holds nothing up: \(afterwards.errors)")
    }
}
