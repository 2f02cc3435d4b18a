import Crypto
import Foundation
import TestSupport
import Testing

@testable import PictureLibrary

@Suite("The picture library", .timeLimit(.minutes(20)))
struct LibraryScanTests {
    @Test("a scan reads owners, kinds, sizes and checksums, and skips other files, hidden files and links")
    func readsFiles() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("abc", at: "Ada@Example.org/2024/a.jpg")
            try fixture.put("film", at: "bob@example.org/b.mp4")
            try fixture.put("all", at: "shared/c.png")
            try fixture.put("no", at: "ada@example.org/notes.txt")
            try fixture.put("no", at: "ada@example.org/.cache/d.jpg")
            try fixture.put("no", at: "beside.jpg")
            try FileManager.default.createSymbolicLink(
                atPath: fixture.path("Ada@Example.org/e.jpg"),
                withDestinationPath: fixture.path("bob@example.org/b.mp4"))
            try FileManager.default.createSymbolicLink(
                atPath: fixture.path("Ada@Example.org/bob"), withDestinationPath: fixture.path("bob@example.org"))

            let changes = try await fixture.library.scan()

            #expect(changes == LibraryScan.Changes(read: 3))
            let mine = try await fixture.list("ada@example.org")
            #expect(Set(mine.map(\.path)) == ["Ada@Example.org/2024/a.jpg", "shared/c.png"])
            let asset = try #require(mine.first { $0.name == "a.jpg" })
            #expect(asset.checksum == [UInt8](hexadecimal: "a9993e364706816aba3e25717850c26c9cd0d89d"))
            #expect((asset.kind, asset.file.size, asset.owner) == (.image, 3, "ada@example.org"))
            #expect(asset.taken == asset.file.modificationDate.wholeMilliseconds)
            #expect(try await fixture.list("bob@example.org").map(\.kind).contains(.video))
            #expect(try await fixture.list("nobody@example.org").map(\.path) == ["shared/c.png"])
        }
    }

    @Test("a folder is found by its slash, also beside a mark that joins it", arguments: JoiningMarks.all)
    func joinedSlash(mark: String) async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("abc", at: "ada@example.org/\(mark)a/\(mark)b.jpg")
            try fixture.put("abcd", at: "ada@example.org/\(mark)c\(mark).jpg")
            try FileManager.default.createSymbolicLink(
                atPath: fixture.path("eve@example.org"), withDestinationPath: fixture.path("ada@example.org"))

            #expect(try await fixture.library.scan() == LibraryScan.Changes(read: 2))
            let mine = try await fixture.list("ada@example.org")
            #expect(Set(mine.map(\.name)) == ["\(mark)b.jpg", "\(mark)c\(mark).jpg"])
            for asset in mine { #expect(fixture.library.open(asset) != nil) }

            let folder = LibraryFolder(path: fixture.folder.path, lockedName: "Locked")
            #expect(folder.isLocked("ada@example.org/Locked/\(mark)a"))
            #expect(folder.isLocked("ada@example.org/a\(mark)/Locked"))
            #expect(folder.list("ada@example.org/\(mark)a")?.files.count == 1)
            // The first folder is a link.
            #expect(folder.list("eve@example.org/\(mark)a") == nil)
        }
    }

    @Test("a file with less than half on the disk, or of more than 1 TiB, is left out; others are read")
    func sparseFiles() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("abc", at: "ada@example.org/a.jpg")
            for (name, size) in [("b.jpg", 1 << 30), ("c.jpg", 1 << 43)] {
                try fixture.put("", at: "ada@example.org/\(name)")
                let file = try #require(FileHandle(forWritingAtPath: fixture.path("ada@example.org/\(name)")))
                try file.truncate(atOffset: UInt64(size))
            }
            #expect(try await fixture.library.scan() == LibraryScan.Changes(read: 1, unreadable: 2))
        }
    }

    @Test("only new and changed files are read; renamed or moved ones keep their id, deleted ones are removed")
    func changes() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("one", at: "ada@example.org/one.jpg")
            try fixture.put("two", at: "ada@example.org/two.jpg")
            try fixture.put("three", at: "ada@example.org/three.jpg")
            try await fixture.library.scan()
            let before = try await fixture.ids()
            #expect(try await fixture.library.scan() == LibraryScan.Changes())

            try fixture.put("another", at: "ada@example.org/one.jpg")
            try FileManager.default.createDirectory(
                atPath: fixture.path("ada@example.org/old"), withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: fixture.path("ada@example.org/two.jpg"), toPath: fixture.path("ada@example.org/old/zwei.jpg"))
            try FileManager.default.removeItem(atPath: fixture.path("ada@example.org/three.jpg"))
            let changes = try await fixture.library.scanChanges()

            #expect(changes == LibraryScan.Changes(read: 1, moved: 1, removed: 1))
            let after = try await fixture.ids()
            #expect(after["one.jpg"] == before["one.jpg"])
            #expect(after["zwei.jpg"] == before["two.jpg"])
            #expect(Set(after.keys) == ["one.jpg", "zwei.jpg"])
            #expect(try await fixture.list("ada@example.org").first { $0.name == "one.jpg" }?.file.size == 7)
        }
    }

    @Test("a folder with the longest path is read, and one with a longer path is skipped and counted")
    func longPaths() async throws {
        // PostgreSQL compresses long values in an index, unless they are random.
        func name(_ length: Int) -> String { String(Base64URL.encode(SecureRandom.bytes(length)).prefix(length)) }
        try await LibraryFixture.with { fixture in
            var path = "ada@example.org"
            while path.utf8.count + 201 < LibraryFolder.maximumPathLength - 201 { path += "/a" + name(199) }
            let rest = LibraryFolder.maximumPathLength - path.utf8.count - 1
            let (longest, tooLong) = (path + "/a" + name(rest - 1), path + "/a" + name(rest))
            let file = "a" + name(250) + ".jpg"
            for folder in [longest, tooLong, tooLong + "/b" + name(200)] {
                try FileManager.default.createDirectory(
                    atPath: fixture.path(folder), withIntermediateDirectories: true)
                try Data("one".utf8).write(to: URL(fileURLWithPath: fixture.path(folder + "/" + file)))
            }
            #expect(try await fixture.library.scan() == LibraryScan.Changes(read: 1, unreadable: 1))
            #expect(try await fixture.list("ada@example.org").map(\.path) == [longest + "/" + file])
        }
    }

    @Test("ids are the same after a restart and after a folder was renamed")
    func stableIDs() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("one", at: "ada@example.org/2024/one.jpg")
            try await fixture.library.scan()
            let before = try await fixture.ids()
            let again = LibraryFixture.library(fixture.folder.path, fixture.stores)

            #expect(try await again.scan() == LibraryScan.Changes())
            try FileManager.default.moveItem(
                atPath: fixture.path("ada@example.org/2024"), toPath: fixture.path("ada@example.org/Summer"))
            try await again.scanChanges()

            #expect(try await fixture.ids() == before)
            #expect(try await fixture.list("ada@example.org").map(\.path) == ["ada@example.org/Summer/one.jpg"])
        }
    }

    @Test("DL-6 a photograph and a film of the same name are paired, and separated again")
    func pairs() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("still", at: "ada@example.org/IMG_1.HEIC")
            try fixture.put("other", at: "ada@example.org/IMG_1.jpg")
            try fixture.put("film", at: "ada@example.org/img_1.mov")
            try fixture.put("alone", at: "ada@example.org/IMG_2.mov")
            try fixture.put("else", at: "ada@example.org/2024/IMG_2.jpg")
            try await fixture.library.scan()

            let all = try await fixture.list("ada@example.org")
            let film = try #require(try await fixture.hidden("ada@example.org").first)
            #expect(film.name == "img_1.mov")
            #expect(all.first { $0.name == "IMG_1.HEIC" }?.motion == film.id)
            #expect(Set(all.map(\.name)) == ["IMG_1.HEIC", "IMG_1.jpg", "IMG_2.mov", "IMG_2.jpg"])

            try FileManager.default.removeItem(atPath: fixture.path("ada@example.org/IMG_1.HEIC"))
            try FileManager.default.removeItem(atPath: fixture.path("ada@example.org/IMG_1.jpg"))
            try await fixture.library.scanChanges()
            #expect(try await fixture.hidden("ada@example.org").isEmpty)
            #expect(
                Set(try await fixture.list("ada@example.org").map(\.name)) == ["img_1.mov", "IMG_2.mov", "IMG_2.jpg"])
        }
    }

    @Test(
        "IM-15 files in a folder named .locked are only in the list of locked files of an unlocked session")
    func locked() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("mine", at: "ada@example.org/.locked/2024/a.jpg")
            try fixture.put("film", at: "ada@example.org/.locked/2024/a.mov")
            try await fixture.library.scan()
            let owners = LibraryFixture.owners("ada@example.org")

            #expect(try await fixture.list("ada@example.org").isEmpty)
            var query = AssetQuery()
            query.visibility = .locked
            let found = try await fixture.library.store.search(query, for: owners).assets
            #expect(found.map(\.name) == ["a.jpg"])
            let ids = [found[0].id, try #require(found[0].motion)]
            #expect(try await fixture.library.store.find(ids, for: owners, isElevated: false).isEmpty)
            #expect(try await fixture.library.store.find(ids, for: owners, isElevated: true).count == 2)
            let others = LibraryFixture.owners("bob@example.org")
            #expect(try await fixture.library.store.find(ids, for: others, isElevated: true).isEmpty)
        }
    }

    @Test("the library is kept while the disk is not mounted")
    func unmounted() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("one", at: "ada@example.org/one.jpg")
            try await fixture.library.scan()
            try FileManager.default.moveItem(
                atPath: fixture.path("ada@example.org"), toPath: fixture.folder.path + ".away")
            defer { try? FileManager.default.removeItem(atPath: fixture.folder.path + ".away") }

            try await fixture.library.scanChanges()
            try await fixture.library.scan()

            #expect(try await fixture.list("ada@example.org").map(\.name) == ["one.jpg"])
        }
    }

    @Test("assets can be searched by part of a name, kind, time, album and page")
    func search() async throws {
        try await LibraryFixture.with { fixture in
            for number in 0..<7 {
                try fixture.put("\(number)", at: "ada@example.org/Über \(number)/Bild \(number).jpg", day: number)
            }
            try fixture.put("film", at: "ada@example.org/Film.mp4", day: 9)
            try await fixture.library.scan()
            let (store, owners) = (fixture.library.store, LibraryFixture.owners("ada@example.org"))

            var query = AssetQuery(count: 3)
            let first = try await store.search(query, for: owners)
            #expect(first.assets.map(\.name) == ["Film.mp4", "Bild 6.jpg", "Bild 5.jpg"])
            #expect(first.hasMore)
            query.skip = 6
            let last = try await store.search(query, for: owners)
            #expect(last.assets.map(\.name) == ["Bild 1.jpg", "Bild 0.jpg"])
            #expect(!last.hasMore)
            #expect(try await store.search(AssetQuery(kind: .video), for: owners).assets.count == 1)
            #expect(
                try await store.search(AssetQuery(name: "BILD 3"), for: owners).assets.map(\.name) == ["Bild 3.jpg"])
            let times = AssetQuery.TimeRange(from: LibraryFixture.day(2), to: LibraryFixture.day(3))
            let stretch = AssetQuery(taken: times, isAscending: true)
            #expect(try await store.search(stretch, for: owners).assets.map(\.name) == ["Bild 2.jpg", "Bild 3.jpg"])
            let albums = try await store.albums(for: owners)
            #expect(albums.map(\.name) == (0..<7).reversed().map { "Über \($0)" })
            let album = try #require(albums.first)
            #expect((album.count, album.cover) == (1, first.assets[1].id))
            #expect(
                try await store.search(AssetQuery(album: album.id), for: owners).assets.map(\.name) == ["Bild 6.jpg"])
            #expect(
                try await store.search(AssetQuery(album: album.id), for: LibraryFixture.owners("x@y.z")).assets.isEmpty)
            let counts = try await store.statistics(for: owners, visibility: .timeline)
            #expect(counts == (7, 1))
        }
    }

    @Test("an album's thumbnail is its newest photograph")
    func cover() async throws {
        try await LibraryFixture.with { fixture in
            for day in [3, 9, 5] { try fixture.put("\(day)", at: "ada@example.org/Sea/\(day).jpg", day: day) }
            try await fixture.library.scan()

            let album = try #require(
                try await fixture.library.store.albums(for: LibraryFixture.owners("ada@example.org")).first)
            let ids = try await fixture.ids()
            #expect(album.cover == ids["9.jpg"])
            #expect((album.count, album.first, album.last) == (3, LibraryFixture.day(3), LibraryFixture.day(9)))
        }
    }

    @Test("a folder that another gateway finds during a scan keeps its files")
    func twoScans() async throws {
        try await LibraryFixture.with { fixture in
            try fixture.put("one", at: "ada@example.org/one.jpg")
            let other = LibraryFixture.library(fixture.folder.path, fixture.stores)
            try await fixture.library.scan {
                try fixture.put("two", at: "ada@example.org/Sea/two.jpg")
                try await other.scan()
            }
            #expect(try await fixture.ids().keys.sorted() == ["one.jpg", "two.jpg"])
        }
    }
}
