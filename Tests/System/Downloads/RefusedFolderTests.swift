import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latch download`, the built program, where a folder or a server refuses.
@Suite("Unusable folders", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct RefusedFolderTests {
    private let server: PictureServer
    private let fixture: PictureFixture
    private let files = FileManager.default
    /// Root writes everywhere: without that power it is as anybody.
    private static let asAnybody =
        getuid() == 0
        ? [
            "setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps",
            "-dac_override,-dac_read_search",
        ] : []

    init() async throws {
        var summer = PictureServer.Picture(1, "summer.jpg", Array("summer".utf8))
        summer.taken = "2024-07-03T13:20:10.000Z"
        var winter = PictureServer.Picture(2, "winter.jpg", Array("winter".utf8))
        winter.taken = "2024-01-03T13:20:10.000Z"
        server = try PictureServer([winter, summer])
        fixture = try await PictureFixture(signedInTo: server)
    }

    private func folder(_ name: String, mode: Int = 0o700) throws -> String {
        let path = fixture.base.folder.file(name)
        try files.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
        return path
    }

    private func setMode(_ mode: Int, _ path: String) throws {
        try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private var fetched: Int { server.server.requests.count { $0.path.hasSuffix("/original") } }

    private func download(_ arguments: String...) async throws -> Program.Result {
        try await fixture.latch(["download", "--all"] + arguments, through: Self.asAnybody)
    }

    @Test("DL-13 an unusable folder is reported with the remedy before anything is fetched")
    func unusableFolder() async throws {
        let parent = try folder("parent", mode: 0o500)
        let library = try folder("library")
        try await #require(download("--to", library).status == 0)
        try files.removeItem(atPath: library + "/winter.jpg")
        try setMode(0o500, library)
        let ordinary = try folder("ordinary")
        #expect(files.createFile(atPath: ordinary + "/notes", contents: Data()))
        let odd = try folder("odd")
        #expect(files.createFile(atPath: odd + "/.latchstring", contents: Data()))
        let dangling = try folder("links") + "/dangling"
        try files.createSymbolicLink(atPath: dangling, withDestinationPath: "nowhere")
        let before = fetched

        let cases = try await [
            (download("--to", parent + "/new/here"), ["no write permission in '\(parent)'", "chmod u+wx \(parent)"]),
            (download("--to", library), ["no write permission in '\(library)'", "chmod u+wx \(library)"]),
            (download("--to", ordinary + "/notes"), ["'\(ordinary)/notes' is a file, not a folder. Move it away"]),
            (download("--to", ordinary + "/notes/a"), ["'\(ordinary)/notes' is a file, not a folder. Move it away"]),
            (
                download("--to", dangling),
                [
                    "Could not create the folder '\(dangling)': '\(dangling)' is a symbolic link to 'nowhere', which does not "
                        + "exist."
                ]
            ),
            (
                download("--to", "/proc"),
                ["Could not create anything in the folder '/proc': ", "oose another folder."]
            ),
            (download("--to", odd), ["'\(odd)/.latchstring' is a file, not a folder. Move it away"]),
        ]
        for (result, texts) in cases {
            #expect(result.status == 1, "\(result.output)\(result.errors)")
            for text in texts { #expect(result.errors.contains(text), "\(result.errors)") }
        }
        #expect(fetched == before)
        try setMode(0o700, library)
        let granted = try await download("--to", library)
        #expect(granted.status == 0 && fixture.files(in: library) == ["summer.jpg", "winter.jpg"], "\(granted.errors)")
        try setMode(0o700, parent)
    }

    @Test(
        "DL-13 a read-only disk is reported as such",
        .enabled("This system lets nobody mount a folder read-only (unshare --mount).") {
            try await OwnMounts.arePossible()
        })
    func readOnly() async throws {
        let disk = try folder("disk")
        let mount = #"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@""#
        let result = try await fixture.latch(
            ["download", "--all", "--to", disk + "/Pictures"], through: OwnMounts.command + ["sh", "-c", mount, disk])
        #expect(result.status == 1 && result.errors.contains("'\(disk)' is on a disk that is mounted read-only"))
        #expect(fetched == 0, "\(result.errors)")
    }

    @Test(
        "DL-13 a folder without write permission fails only its own files, which are downloaded after it is granted")
    func unwritableSubfolder() async throws {
        let library = try folder("library")
        _ = try folder("library/2024")
        let month = try folder("library/2024/07", mode: 0o500)
        let refused = try await download("--to", library, "--layout", "date")
        #expect(
            refused.status == 1 && refused.errors.contains("write permission for '\(month)'"), "\(refused.errors)")
        #expect(fixture.files(in: library) == ["2024/01/winter.jpg"])

        try setMode(0o700, month)
        try await #require(fixture.latch("downloads", "retry").status == 0)
        let granted = try await fixture.latch(["download"], through: Self.asAnybody)
        #expect(granted.status == 0, "\(granted.errors)")
        #expect(fixture.files(in: library) == ["2024/01/winter.jpg", "2024/07/summer.jpg"] && fixture.parts().isEmpty)
    }

    @Test("DL-6 DL-13 if a live photo cannot be saved, both parts report the correct reason, and nothing is left")
    func pair() async throws {
        var still = PictureServer.Picture(100, "IMG_1.jpg", Array("still".utf8))
        var video = PictureServer.Picture(101, "IMG_1.MOV", Array("video".utf8))
        (still.video, video.visibility, still.taken, video.taken) = (
            video.id, "hidden", "2024-07-03T13:20:10.000Z", "2024-07-03T13:20:10.000Z"
        )
        let (first, second) = (still, video)
        server.change { $0 = [first, second] }
        let library = try folder("library")
        _ = try folder("library/2024")
        let month = try folder("library/2024/07", mode: 0o500)
        let refused = try await download("--to", library, "--layout", "date")
        let reasons = try await reasons()
        #expect(refused.status == 1 && fixture.files(in: library).isEmpty, "\(refused.errors)")
        #expect(reasons[still.id]?.contains("\(month)/IMG_1.jpg'") == true, "\(reasons)")
        #expect(reasons[video.id]?.contains("its other part, 'IMG_1.jpg',") == true, "\(reasons)")
        try setMode(0o700, month)
    }

    @Test("DL-6 if the server has lost a live photo's video, nothing is saved, and the photograph has the reason")
    func lostFilm() async throws {
        var still = PictureServer.Picture(100, "IMG_1.jpg", Array("still".utf8))
        let video = PictureServer.Picture.id(101)
        still.video = video
        let first = still
        server.change { $0 = [first] }
        let result = try await download()
        let reasons = try await reasons()
        #expect(result.status == 1 && fixture.files().isEmpty && fixture.parts().isEmpty, "\(result.errors)")
        #expect(reasons[video]?.contains("no longer exists on the server") == true, "\(reasons)")
        #expect(reasons[still.id]?.contains("its other part, 'IMG_1.MOV',") == true, "\(reasons)")
    }

    /// Why each download did not come, by its id.
    private func reasons() async throws -> [String: String] {
        let list = try await fixture.latch("downloads", "list", "--json")
        let rows = try PictureFixture.events(list.output).first?["downloads"]?.array ?? []
        return Dictionary(
            rows.compactMap { row in row["id"]?.string.map { ($0, row["reason"]?.string ?? "") } },
            uniquingKeysWith: { $1 })
    }
}
