import Database
import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// The folder that files were brought to is missing, as when its drive is not mounted.
@Suite(.timeLimit(.minutes(20)))
struct MissingFolderTests {
    private let fixture: DownloadFixture
    private var isThere: Bool { FileManager.default.fileExists(atPath: fixture.library) }

    init() async throws {
        fixture = try await DownloadFixture()
        try await LibraryLocations(fixture.latch).remember(LibraryLocation(folder: fixture.library))
    }

    private func library() -> PictureLibrary { PictureLibrary(fixture.latch, folder: fixture.library) }

    /// Brings a file to the folder, moves the folder away, and adds another file to the queue.
    private func unmount() async throws {
        let queue = fixture.queue(library: library())
        try await queue.prepareFolder(isNew: true)
        try await queue.add([fixture.task("one")])
        try await queue.run()
        try FileManager.default.moveItem(atPath: fixture.library, toPath: fixture.folder.file("away"))
        try await queue.add([fixture.task("two")])
    }

    private func mount() throws {
        try? FileManager.default.removeItem(atPath: fixture.library)
        try FileManager.default.moveItem(atPath: fixture.folder.file("away"), toPath: fixture.library)
    }

    @Test(
        "DL-13 a missing destination folder is not created again, also if its mount point exists",
        arguments: [true, false])
    func refused(_ hasMountPoint: Bool) async throws {
        try await unmount()
        if hasMountPoint {
            try FileManager.default.createDirectory(atPath: fixture.library, withIntermediateDirectories: true)
        }
        let queue = fixture.queue(library: library())
        #expect(try await queue.snapshot().waitReason?.sentence.contains("Mount its drive") ?? false)
        let error = await #expect(throws: LatchError.self) { try await queue.run() }
        #expect(
            error?.code == .folderGone && error?.message.contains("--make-folder") ?? false, "\(error?.message ?? "")")
        #expect(isThere == hasMountPoint && fixture.parts().isEmpty)
        #expect(try await queue.progress().open == 1)

        try mount()
        try await queue.run()
        #expect(try fixture.files() == ["one.jpg", "two.jpg"])
    }

    @Test("DL-13 the folder is created again only on request, except if only the hidden folder in it is missing")
    func createsOnRequest() async throws {
        try await unmount()
        let queue = fixture.queue(library: library())
        try await queue.prepareFolder(isNew: true)
        try await queue.run()
        #expect(try fixture.files() == ["two.jpg"])
        try FileManager.default.removeItem(atPath: fixture.library + "/.latchstring")
        try await queue.add([fixture.task("three")])
        try await queue.run()
        #expect(try fixture.files() == ["three.jpg", "two.jpg"])
    }

    @Test(
        "DL-13 DL-17 in the background the queue waits for the folder, and continues when it is there, hidden folder or not",
        arguments: [true, false])
    func waits(_ hasHidden: Bool) async throws {
        try await unmount()
        var settings = DownloadSettings()
        settings.maximumOutage = nil
        let queue = fixture.queue(settings, library: library())
        let events = queue.events
        let run = Task { try await queue.run() }
        await queue.untilHeld(events) { #expect($0.contains("Mount its drive")) }
        #expect(!isThere)
        if !hasHidden { try FileManager.default.removeItem(atPath: fixture.folder.file("away") + "/.latchstring") }
        try mount()
        try await run.cancellableValue
        #expect(try fixture.files() == ["one.jpg", "two.jpg"])
    }

    @Test("DL-13 a folder without the hidden one counts as present while it contains any downloaded file")
    func manyRemoved() async throws {
        let (database, folder) = (fixture.latch.accounts.database, fixture.library)
        try await fixture.queue(library: library()).prepareFolder(isNew: true)
        try await database.write { connection in
            for number in 100..<400 {
                let insert = Statement(
                    "INSERT INTO library_files (folder, key, path) VALUES (?, ?, ?)", String.self, String.self,
                    String.self)
                _ = try connection.run(insert, folder, "key-\(number)", "\(number).jpg")
            }
        }
        try FileManager.default.removeItem(atPath: folder + "/.latchstring")
        let queue = fixture.queue(library: library())
        let error = await #expect(throws: LatchError.self) { try await queue.prepareFolder() }
        #expect(error?.code == .folderGone)
        try Data().write(to: URL(filePath: folder + "/399.jpg"))
        try await queue.prepareFolder()
    }

    @Test("DL-13 when the folder disappears during downloads they wait; none fails, and they continue when it is back")
    func disappearsDuringDownloads() async throws {
        try await unmount()
        try mount()
        let (library, away) = (fixture.library, fixture.folder.file("away"))
        fixture.intercept { request in
            guard request.path == "/files/two" else { return nil }
            try? FileManager.default.moveItem(atPath: library, toPath: away)
            return nil
        }
        let queue = fixture.queue(library: self.library())
        let events = queue.events
        let run = Task { try await queue.run() }
        await queue.untilHeld(events) { #expect($0.contains("Mount its drive"), "\($0)") }
        fixture.intercept { _ in nil }
        try mount()
        try await run.cancellableValue
        #expect(try fixture.files() == ["one.jpg", "two.jpg"])
    }

    @Test(
        "DL-13 a run ends if the session ends while the folder is removed, created again or not",
        arguments: [true, false])
    func removedWhileSessionEnds(_ isCreatedAgain: Bool) async throws {
        try await unmount()
        try mount()
        let library = fixture.library
        let ended = FaultServer.Response(
            status: 401, headers: [("Content-Type", "application/json")],
            body: Array(#"{"error_code":"SESSION_EXPIRED","detail":"It ended."}"#.utf8))
        let (isRemoved, pauses) = (DispatchSemaphore(value: 0), AsyncStream<Void>.makeStream())
        fixture.intercept { request in
            switch request.path {
            case "/api/auth/mobile/refresh", "/api/me": return ended
            case "/files/three":
                isRemoved.wait()
                return ended
            default: return nil
            }
        }
        let hook = DownloadHook { step in
            // The file is complete and about to be moved to its destination.
            guard step == .fileRecorded else { return }
            try FileManager.default.removeItem(atPath: library)
            if isCreatedAgain {
                try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
            }
            isRemoved.signal()
            for await _ in pauses.stream { break }
        }
        let queue = DownloadQueue(
            fixture.latch, library: self.library(), settings: .init(), now: { .now }, hook: hook)
        try await queue.add([fixture.task("three")])
        let events = queue.events { if case .pauseReasonChanged = $0 { true } else { false } }
        let watching = Task { for await _ in events { pauses.continuation.yield() } }
        let run = Task { try await queue.run() }
        try await run.cancellableValue
        watching.cancel()
        #expect(try await queue.tasks().dropFirst().allSatisfy { $0.state == .paused })
        #expect(try await queue.snapshot().waitReason?.kind == .folder(library))
    }

    @Test("DL-12 a run that waits for its folder ends when its files are cancelled")
    func cancelledWhileMissing() async throws {
        try await unmount()
        var settings = DownloadSettings()
        settings.maximumOutage = nil
        let queue = fixture.queue(settings, library: library())
        let events = queue.events
        let run = Task { try await queue.run() }
        await queue.untilHeld(events)
        #expect(try await fixture.otherProgram().cancelAll() == 1)
        try await run.cancellableValue
        #expect(!isThere)
    }
}
