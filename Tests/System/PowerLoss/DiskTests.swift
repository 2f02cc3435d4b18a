import Foundation
import TestSupport
import Testing

/// What the model of a disk keeps when the power goes.
@Suite("Simulated power loss of a disk", .blocking) struct DiskTests {
    private static let root = "/disk"

    /// A part beside the folder that its file goes to, flushed with its name; then moved.
    private func moved() -> Disk {
        var disk = Disk(root: Self.root)
        let events: [DiskEvent] = [
            .makeFolder("/disk/parts"), .make("/disk/parts/a"), .write("/disk/parts/a", offset: 0, [1, 2, 3]),
            .sync("/disk/parts/a", before: 3), .sync("/disk/parts", before: 3), .sync("/disk", before: 3),
            .make("/disk/parts/b"), .rename("/disk/parts/a", to: "/disk/a"),
        ]
        for (number, event) in events.enumerated() { disk.follow(event, number: number) }
        return disk
    }

    /// The paths of the files that are left.
    private func left(_ disk: Disk, _ remains: Disk.UnflushedData, _ random: inout SeededRandom) throws -> Set<String> {
        let folder = try TemporaryDirectory()
        try disk.cutPower(leaving: remains, &random, to: folder.file("disk"))
        let paths = FileManager.default.enumerator(atPath: folder.file("disk"))?.allObjects as? [String] ?? []
        for path in paths where path.hasSuffix("a") {
            #expect(FileManager.default.contents(atPath: folder.file("disk/" + path)) == Data([1, 2, 3]))
        }
        return Set(paths.filter { $0 != "parts" })
    }

    @Test("a rename between two folders is kept in both or lost in both")
    func renameBetweenFolders() throws {
        var random = SeededRandom(for: "Renames of a disk")
        let disk = moved()
        #expect(try left(disk, .everything, &random) == ["a", "parts/b"])
        #expect(try left(disk, .nothing, &random) == ["parts/a"])
        var seen: Set<Set<String>> = []
        for _ in 0..<100 { seen.insert(try left(disk, .blocks, &random)) }
        #expect(seen == [["a"], ["parts/a"], ["a", "parts/b"], ["parts/a", "parts/b"]])
    }

    @Test(
        "flushing one folder also writes a rename's other folder, with its earlier changes",
        arguments: [
            "/disk", "/disk/parts",
        ])
    func flushed(_ folder: String) throws {
        var random = SeededRandom(for: "Flushed renames of a disk")
        var disk = moved()
        disk.follow(.sync(folder, before: 8), number: 8)
        for remains in Disk.UnflushedData.allCases { #expect(try left(disk, remains, &random) == ["a", "parts/b"]) }
    }
}
