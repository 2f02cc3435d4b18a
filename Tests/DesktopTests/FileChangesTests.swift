import Foundation
import TestSupport
import Testing

@testable import Desktop

/// Changes of files, as the kernel reports them.
@Suite("Changes of files", .timeLimit(.minutes(1)))
struct FileChangesTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func watch() throws -> FileChanges {
        try #require(FileChanges(of: ["wanted"], in: folder.file("")))
    }

    private func write(_ name: String) throws {
        try Data("1".utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    @Test("RM-3 a file that is made, modified, replaced or removed is reported, also between two waits")
    func reports() async throws {
        let changes = try watch()
        try write("wanted")
        #expect(await changes.next())
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file("wanted")))
        async let next = changes.next()
        try handle.write(contentsOf: Data("2".utf8))
        #expect(await next)
        try write("other")
        #expect(rename(folder.file("other"), folder.file("wanted")) == 0)
        #expect(await changes.next())
        try FileManager.default.removeItem(atPath: folder.file("wanted"))
        #expect(await changes.next())
    }

    @Test("RM-3 other files are not reported, and a cancelled wait ends")
    func others() async throws {
        let changes = try watch()
        try write("other")
        let task = Task { await changes.next() }
        task.cancel()
        #expect(await !task.value)
        #expect(await !changes.next())
    }

    @Test("RM-3 a missing folder is refused, and the removal of the folder ends the wait")
    func removedFolder() async throws {
        #expect(FileChanges(of: ["wanted"], in: folder.file("missing")) == nil)
        try FileManager.default.createDirectory(atPath: folder.file("inner"), withIntermediateDirectories: true)
        let changes = try #require(FileChanges(of: ["wanted"], in: folder.file("inner")))
        async let next = changes.next()
        try FileManager.default.removeItem(atPath: folder.file("inner"))
        #expect(await !next)
    }
}
