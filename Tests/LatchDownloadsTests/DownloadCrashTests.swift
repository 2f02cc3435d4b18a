import Foundation
import HTTPClient
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// Stopped between two steps as by a crash, then run again.
@Suite(.timeLimit(.minutes(20)))
struct DownloadCrashTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    @Test(
        "DL-17 a file is neither lost nor duplicated after a crash at any step after its last byte",
        arguments: [DownloadHook.Step.fileRecorded, .placed])
    func single(_ step: DownloadHook.Step) async throws {
        let crashed = fixture.queue(stoppedAfter: step)
        try await crashed.add([fixture.task("one")])
        try await crashed.run()
        #expect(try await fixture.state("one", crashed) == .running)
        let asked = fixture.server.requests.count

        let queue = fixture.queue()
        try await queue.run()
        #expect(try await fixture.state("one", queue) == .done)
        #expect(try fixture.files() == ["one.jpg"] && fixture.file("one.jpg") == fixture.bytes(of: "one"))
        #expect(fixture.parts().isEmpty)
        #expect(fixture.server.requests.count == asked, "nothing is fetched again")
    }

    @Test(
        "DL-17 after a crash between a file's last byte and its record, it is completed without another request")
    func fetched() async throws {
        let crashed = fixture.queue(stoppedAfter: .fetched)
        let size = fixture.bytes(of: "one").count
        try await crashed.add([fixture.task("one", metadata: .init(size: size))])
        let events = crashed.events
        let run = Task { try await crashed.run() }
        for await event in events { if case .status(_, .waiting) = event { break } }
        run.cancel()
        _ = await run.result
        let asked = fixture.server.requests.count
        #expect(fixture.parts().count == 1)

        try await fixture.queue().run()
        #expect(try fixture.file("one.jpg") == fixture.bytes(of: "one") && fixture.parts().isEmpty)
        #expect(fixture.server.requests.count == asked, "nothing is fetched again")
    }

    @Test(
        "DL-12 DL-17 after a crash between the move of a file and its record, cancelling counts the file as downloaded, and one part of a live photo is removed",
        arguments: [DownloadHook.Step.fileRecorded, .firstPlaced, .placed], [false, true])
    func cancelled(_ step: DownloadHook.Step, _ isAll: Bool) async throws {
        let crashed = fixture.queue(stoppedAfter: step)
        try await crashed.add(fixture.pair("live") + [fixture.task("one")])
        try? await crashed.run()
        let queue = try await fixture.otherProgram()
        if isAll { try await queue.cancelAll() } else { try await queue.cancel(["live", "one"]) }
        let tasks = try await queue.tasks()
        #expect(tasks.allSatisfy { $0.state == .done })
        let files = tasks.compactMap { $0.path.map { URL(filePath: $0).lastPathComponent } }.sorted()
        #expect(try fixture.files() == files)
        switch step {
        case .firstPlaced: #expect(files == ["one.jpg"])
        case .placed: #expect(files == ["live.MOV", "live.jpg", "one.jpg"])
        default: #expect(files.isEmpty)
        }
        #expect(fixture.parts().isEmpty)
    }

    @Test("DL-17 a complete part that was deleted is fetched again, and never becomes an empty file")
    func removedPart() async throws {
        let crashed = fixture.queue(stoppedAfter: .fileRecorded)
        try await crashed.add([fixture.task("one")])
        try await crashed.run()
        for part in fixture.parts() {
            try FileManager.default.removeItem(atPath: fixture.library + "/.latchstring/" + part)
        }

        try await fixture.queue().run()
        #expect(try fixture.files() == ["one.jpg"] && fixture.file("one.jpg") == fixture.bytes(of: "one"))
    }

    @Test("DL-17 a part of this queue without a task is removed, except if it is being written")
    func orphanedPart() async throws {
        let queue = fixture.queue()
        try await queue.prepareFolder()
        let partName = try await queue.store.partName()
        let names = ["written", "stray"].map { partName.of(fixture.account.id, $0) }
        let written = try DownloadPart(path: fixture.library + "/.latchstring/" + names[0])
        try Data("left".utf8).write(to: URL(fileURLWithPath: fixture.library + "/.latchstring/" + names[1]))
        try await queue.run()
        #expect(fixture.parts() == [names[0]])
        written.close()
        try await queue.run()
        #expect(fixture.parts().isEmpty)
    }

    @Test(
        "DL-13 a person's file with the name of a failed one stays unchanged, and the failed one gets another name",
        arguments: [["one"], ["live", "live-film"]])
    func unrelatedFile(_ ids: [String]) async throws {
        let refused = DownloadQueue(
            fixture.latch, library: FolderLibrary(folder: fixture.library), settings: .init(), now: { Date() },
            hook: DownloadHook { if $0 == .fileRecorded { throw LatchError(.fileFailed, "Refused.") } })
        try await refused.add(ids.count == 1 ? [fixture.task("one")] : fixture.pair("live"))
        try await refused.run()
        #expect(try await refused.progress().failed == ids.count)
        let name = ids[0] + ".jpg"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: fixture.library + "/" + name))

        let queue = fixture.queue()
        #expect(try await queue.retryFailed() == ids.count)
        try await queue.run()
        #expect(try fixture.file(name) == Array("mine".utf8))
        #expect(try await queue.progress().done == ids.count && fixture.parts().isEmpty)
        #expect(try fixture.file(ids[0] + " (2).jpg") == fixture.bytes(of: ids[0]))
    }

    @Test(
        "DL-6 a live photo is downloaded once and completely, with a crash at any step",
        arguments: [DownloadHook.Step.partRecorded, .fileRecorded, .firstPlaced, .placed])
    func pair(_ step: DownloadHook.Step) async throws {
        let crashed = fixture.queue(stoppedAfter: step)
        try await crashed.add(fixture.pair("live"))
        try await crashed.run()
        #expect(try await fixture.state("live", crashed) == .running)

        let queue = fixture.queue()
        try await queue.run()
        let progress = try await queue.progress()
        #expect(progress.done == 2 && progress.open == 0)
        #expect(try fixture.files() == ["live.MOV", "live.jpg"])
        #expect(try fixture.file("live.MOV") == fixture.bytes(of: "live-film"))
        #expect(try fixture.file("live.jpg") == fixture.bytes(of: "live") && fixture.parts().isEmpty)
    }

    @Test(
        "DL-6 a live photo that becomes one file is downloaded once and completely, with a crash at any step",
        arguments: [nil, DownloadHook.Step.partRecorded, .joined, .fileRecorded, .placed])
    func joined(_ step: DownloadHook.Step?) async throws {
        let library = JoiningLibrary(inner: FolderLibrary(folder: fixture.library))
        if let step {
            let crashed = fixture.queue(library: library, stoppedAfter: step)
            try await crashed.add(fixture.pair("live"))
            try await crashed.run()
            #expect(try await fixture.state("live", crashed) == .running)
        }
        let queue = fixture.queue(library: library)
        try await queue.add(fixture.pair("live"))
        try await queue.run()
        let progress = try await queue.progress()
        #expect(progress.done == 2 && progress.open == 0)
        #expect(try fixture.files() == ["live.jpg"] && fixture.parts().isEmpty)
        #expect(try fixture.file("live.jpg") == fixture.bytes(of: "live") + fixture.bytes(of: "live-film"))
    }

    @Test(
        "DL-6 a joined live photo that is left with two hard links after a crash has one name after the next run")
    func linked() async throws {
        let library = JoiningLibrary(inner: FolderLibrary(folder: fixture.library))
        let crashed = fixture.queue(library: library, stoppedAfter: .fileRecorded)
        try await crashed.add(fixture.pair("live"))
        try await crashed.run()
        let joined = try await crashed.store.partName().joined(fixture.account.id, "live")
        try FileManager.default.linkItem(
            atPath: fixture.library + "/.latchstring/" + joined, toPath: fixture.library + "/live.jpg")

        try await fixture.queue(library: library).run()
        #expect(try fixture.files() == ["live.jpg"] && fixture.parts().isEmpty)
        #expect(try fixture.file("live.jpg") == fixture.bytes(of: "live") + fixture.bytes(of: "live-film"))
    }

    @Test("DL-2 a person's empty file with a picture's name is kept, also after a crash")
    func emptyFile() async throws {
        let crashed = fixture.queue(stoppedAfter: .fileRecorded)
        try await crashed.add([fixture.task("a")])
        try await crashed.run()
        #expect(FileManager.default.createFile(atPath: fixture.library + "/a.jpg", contents: nil))

        try await fixture.queue().run()
        #expect(try fixture.files() == ["a (2).jpg", "a.jpg"] && fixture.parts().isEmpty)
        #expect(try fixture.file("a.jpg").isEmpty && fixture.file("a (2).jpg") == fixture.bytes(of: "a"))
    }

    @Test(
        "DL-6 a live photo with both parts complete is moved once, even if the second one is processed later"
    )
    func bothPartsComplete() async throws {
        let crashed = fixture.queue(stoppedAfter: .partRecorded)
        try await crashed.add(fixture.pair("live"))
        try await crashed.run()
        let asked = fixture.server.requests.count

        var settings = DownloadSettings()
        settings.maximum = 1
        let queue = fixture.queue(settings)
        try await queue.run()
        #expect(try fixture.files() == ["live.MOV", "live.jpg"] && fixture.parts().isEmpty)
        #expect(try await queue.progress().done == 2)
        #expect(fixture.server.requests.count == asked, "nothing is fetched again")
    }

    @Test("DL-6 a part of a live photo that waits for the other one can be read only by its owner")
    func waitingPart() async throws {
        let queue = fixture.queue(stoppedAfter: .partRecorded)
        try await queue.add(fixture.pair("live"))
        try await queue.run()
        let parts = fixture.parts()
        #expect(!parts.isEmpty)
        for part in parts {
            let status = try FileManager.default.attributesOfItem(atPath: fixture.library + "/.latchstring/" + part)
            #expect(status[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("DL-6 if the second name is taken between the two renames, both parts get another name")
    func nameConflict() async throws {
        let crashed = fixture.queue(stoppedAfter: .firstPlaced)
        try await crashed.add(fixture.pair("live"))
        try await crashed.run()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: fixture.library + "/live.MOV"))

        try await fixture.queue().run()
        #expect(try fixture.files() == ["live (2).MOV", "live (2).jpg", "live.MOV"])
        #expect(try fixture.file("live.MOV") == Array("mine".utf8))
    }
}
