import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// The folder that files were brought to is gone, as with a drive that is not mounted.
@Suite(.timeLimit(.minutes(5)))
struct GoneFolderTests {
    private let world: DownloadWorld
    private var isThere: Bool { FileManager.default.fileExists(atPath: world.library) }

    init() async throws {
        world = try await DownloadWorld()
        try await LibraryPlaces(world.latch).remember(LibraryPlace(folder: world.library))
    }

    private func library() -> PictureLibrary { PictureLibrary(world.latch, folder: world.library) }

    /// Brings a file to the folder, and takes the folder away; leaves another one waiting.
    private func unmount() async throws {
        let queue = world.queue(library: library())
        try await queue.prepareFolder(isNew: true)
        try await queue.add([world.task("one")])
        try await queue.run()
        try FileManager.default.moveItem(atPath: world.library, toPath: world.folder.file("away"))
        try await queue.add([world.task("two")])
    }

    private func mount() throws {
        try? FileManager.default.removeItem(atPath: world.library)
        try FileManager.default.moveItem(atPath: world.folder.file("away"), toPath: world.library)
    }

    @Test(
        "DL-13 where a folder is gone that files were brought to, none is made in its place; also where its mount point is there",
        arguments: [true, false])
    func refused(_ hasMountPoint: Bool) async throws {
        try await unmount()
        if hasMountPoint {
            try FileManager.default.createDirectory(atPath: world.library, withIntermediateDirectories: true)
        }
        let queue = world.queue(library: library())
        let error = await #expect(throws: LatchError.self) { try await queue.run() }
        #expect(
            error?.code == .folderGone && error?.message.contains("--make-folder") ?? false, "\(error?.message ?? "")")
        #expect(isThere == hasMountPoint && world.parts().isEmpty)
        #expect(try await queue.progress().open == 1)

        try mount()
        try await queue.run()
        #expect(try world.files() == ["one.jpg", "two.jpg"])
    }

    @Test("DL-13 who wants it made anew has it made; and who only cleared up what is hidden in it needs not say so")
    func anew() async throws {
        try await unmount()
        let queue = world.queue(library: library())
        try await queue.prepareFolder(isNew: true)
        try await queue.run()
        #expect(try world.files() == ["two.jpg"])
        try FileManager.default.removeItem(atPath: world.library + "/.latchstring")
        try await queue.add([world.task("three")])
        try await queue.run()
        #expect(try world.files() == ["three.jpg", "two.jpg"])
    }

    @Test("DL-13 DL-17 with nobody there it waits for the folder, and goes on when that comes")
    func waits() async throws {
        try await unmount()
        var settings = DownloadSettings()
        settings.maximumOutage = nil
        let queue = world.queue(settings, library: library())
        let events = queue.events
        let run = Task { try await queue.run() }
        await queue.untilHeld(events) { #expect($0.contains("Mount its drive")) }
        #expect(!isThere)
        try mount()
        try await run.cancellableValue
        #expect(try world.files() == ["one.jpg", "two.jpg"])
    }

    @Test("DL-13 a folder that goes while files come holds them up; none fails, and they come when it is back")
    func goesMeanwhile() async throws {
        try await unmount()
        try mount()
        let (library, away) = (world.library, world.folder.file("away"))
        world.intercept { request in
            guard request.path == "/files/two" else { return nil }
            try? FileManager.default.moveItem(atPath: library, toPath: away)
            return nil
        }
        let queue = world.queue(library: self.library())
        let events = queue.events
        let run = Task { try await queue.run() }
        await queue.untilHeld(events) { #expect($0.contains("Mount its drive"), "\($0)") }
        world.intercept { _ in nil }
        try mount()
        try await run.cancellableValue
        #expect(try world.files() == ["one.jpg", "two.jpg"])
    }
}
