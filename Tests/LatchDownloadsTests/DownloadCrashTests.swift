import Foundation
import HTTPClient
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// Stopped between two steps as by a crash, then run again.
@Suite(.timeLimit(.minutes(20)))
struct DownloadCrashTests {
    private let world: DownloadWorld

    init() async throws { world = try await DownloadWorld() }

    @Test(
        "DL-17 a file is neither lost nor there twice, wherever between its last byte and its end a crash comes",
        arguments: [DownloadHook.Step.wholeNoted, .placed])
    func single(_ step: DownloadHook.Step) async throws {
        let crashed = world.queue(stoppedAfter: step)
        try await crashed.add([world.task("one")])
        try await crashed.run()
        #expect(try await world.state("one", crashed) == .running)
        let asked = world.server.requests.count

        let queue = world.queue()
        try await queue.run()
        #expect(try await world.state("one", queue) == .done)
        #expect(try world.files() == ["one.jpg"] && world.file("one.jpg") == world.bytes(of: "one"))
        #expect(world.parts().isEmpty)
        #expect(world.server.requests.count == asked, "nothing is fetched again")
    }

    @Test(
        "DL-17 a crash between a file's last byte and the note of it: the file is downloaded without a further request")
    func fetched() async throws {
        let crashed = world.queue(stoppedAfter: .fetched)
        let size = world.bytes(of: "one").count
        try await crashed.add([world.task("one", metadata: .init(size: size))])
        let events = crashed.events
        let run = Task { try await crashed.run() }
        for await event in events { if case .status(_, .waiting) = event { break } }
        run.cancel()
        _ = await run.result
        let asked = world.server.requests.count
        #expect(world.parts().count == 1)

        try await world.queue().run()
        #expect(try world.file("one.jpg") == world.bytes(of: "one") && world.parts().isEmpty)
        #expect(world.server.requests.count == asked, "nothing is fetched again")
    }

    @Test("DL-17 a whole part that somebody removed is fetched again, and never becomes an empty file")
    func removedPart() async throws {
        let crashed = world.queue(stoppedAfter: .wholeNoted)
        try await crashed.add([world.task("one")])
        try await crashed.run()
        for part in world.parts() {
            try FileManager.default.removeItem(atPath: world.library + "/.latchstring/" + part)
        }

        try await world.queue().run()
        #expect(try world.files() == ["one.jpg"] && world.file("one.jpg") == world.bytes(of: "one"))
    }

    @Test("DL-17 a part of the queue's own that no task has is removed, and one that is being written is not")
    func strayPart() async throws {
        let queue = world.queue()
        try await queue.prepareFolder()
        let names = ["written", "stray"].map { queue.folder.partName.of(world.account.id, $0) }
        let written = try DownloadPart(path: world.library + "/.latchstring/" + names[0])
        try Data("left".utf8).write(to: URL(fileURLWithPath: world.library + "/.latchstring/" + names[1]))
        try await queue.run()
        #expect(world.parts() == [names[0]])
        written.close()
        try await queue.run()
        #expect(world.parts().isEmpty)
    }

    @Test(
        "DL-13 a file of the person's that lies where a failed one was to be stays as it is, and the failed one comes beside it",
        arguments: [["one"], ["live", "live-film"]])
    func foreignFile(_ ids: [String]) async throws {
        let refused = DownloadQueue(
            world.latch, library: FolderLibrary(folder: world.library), settings: .init(), now: { Date() },
            hook: DownloadHook { if $0 == .wholeNoted { throw LatchError(.fileFailed, "Refused.") } })
        try await refused.add(ids.count == 1 ? [world.task("one")] : world.pair("live"))
        try await refused.run()
        #expect(try await refused.progress().failed == ids.count)
        let name = ids[0] + ".jpg"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: world.library + "/" + name))

        let queue = world.queue()
        #expect(try await queue.retryFailed() == ids.count)
        try await queue.run()
        #expect(try world.file(name) == Array("mine".utf8))
        #expect(try await queue.progress().done == ids.count && world.parts().isEmpty)
        #expect(try world.file(ids[0] + " (2).jpg") == world.bytes(of: ids[0]))
    }

    @Test(
        "DL-6 a live photo is downloaded once and whole, wherever a crash comes",
        arguments: [DownloadHook.Step.halfNoted, .wholeNoted, .firstPlaced, .placed])
    func pair(_ step: DownloadHook.Step) async throws {
        let crashed = world.queue(stoppedAfter: step)
        try await crashed.add(world.pair("live"))
        try await crashed.run()
        #expect(try await world.state("live", crashed) == .running)

        let queue = world.queue()
        try await queue.run()
        let progress = try await queue.progress()
        #expect(progress.done == 2 && progress.open == 0)
        #expect(try world.files() == ["live.MOV", "live.jpg"])
        #expect(try world.file("live.MOV") == world.bytes(of: "live-film"))
        #expect(try world.file("live.jpg") == world.bytes(of: "live") && world.parts().isEmpty)
    }

    @Test(
        "DL-6 a live photo that becomes one file is downloaded once and whole, wherever a crash comes",
        arguments: [nil, DownloadHook.Step.halfNoted, .joined, .wholeNoted, .placed])
    func joined(_ step: DownloadHook.Step?) async throws {
        let library = JoiningLibrary(inner: FolderLibrary(folder: world.library))
        if let step {
            let crashed = world.queue(library: library, stoppedAfter: step)
            try await crashed.add(world.pair("live"))
            try await crashed.run()
            #expect(try await world.state("live", crashed) == .running)
        }
        let queue = world.queue(library: library)
        try await queue.add(world.pair("live"))
        try await queue.run()
        let progress = try await queue.progress()
        #expect(progress.done == 2 && progress.open == 0)
        #expect(try world.files() == ["live.jpg"] && world.parts().isEmpty)
        #expect(try world.file("live.jpg") == world.bytes(of: "live") + world.bytes(of: "live-film"))
    }

    @Test(
        "DL-6 a live photo that became one file has two names for it where a disk can only link, and one after a crash")
    func linked() async throws {
        let library = JoiningLibrary(inner: FolderLibrary(folder: world.library))
        let crashed = world.queue(library: library, stoppedAfter: .wholeNoted)
        try await crashed.add(world.pair("live"))
        try await crashed.run()
        let joined = crashed.folder.partName.joined(world.account.id, "live")
        try FileManager.default.linkItem(
            atPath: world.library + "/.latchstring/" + joined, toPath: world.library + "/live.jpg")

        try await world.queue(library: library).run()
        #expect(try world.files() == ["live.jpg"] && world.parts().isEmpty)
        #expect(try world.file("live.jpg") == world.bytes(of: "live") + world.bytes(of: "live-film"))
    }

    @Test("DL-2 an empty file that a person made under a picture's name stays theirs, also after a crash")
    func emptyFile() async throws {
        let crashed = world.queue(stoppedAfter: .wholeNoted)
        try await crashed.add([world.task("a")])
        try await crashed.run()
        #expect(FileManager.default.createFile(atPath: world.library + "/a.jpg", contents: nil))

        try await world.queue().run()
        #expect(try world.files() == ["a (2).jpg", "a.jpg"] && world.parts().isEmpty)
        #expect(try world.file("a.jpg").isEmpty && world.file("a (2).jpg") == world.bytes(of: "a"))
    }

    @Test(
        "DL-6 a live photo whose parts are both there is downloaded once, though the second one's turn comes after that"
    )
    func bothThere() async throws {
        let crashed = world.queue(stoppedAfter: .halfNoted)
        try await crashed.add(world.pair("live"))
        try await crashed.run()
        let asked = world.server.requests.count

        var settings = DownloadSettings()
        settings.maximum = 1
        let queue = world.queue(settings)
        try await queue.run()
        #expect(try world.files() == ["live.MOV", "live.jpg"] && world.parts().isEmpty)
        #expect(try await queue.progress().done == 2)
        #expect(world.server.requests.count == asked, "nothing is fetched again")
    }

    @Test("DL-6 a half that waits for its other part can be read by nobody else")
    func waitingHalf() async throws {
        let queue = world.queue(stoppedAfter: .halfNoted)
        try await queue.add(world.pair("live"))
        try await queue.run()
        let parts = world.parts()
        #expect(!parts.isEmpty)
        for part in parts {
            let status = try FileManager.default.attributesOfItem(atPath: world.library + "/.latchstring/" + part)
            #expect(status[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("DL-6 between the two renames somebody takes the second name: both get another one together")
    func takenName() async throws {
        let crashed = world.queue(stoppedAfter: .firstPlaced)
        try await crashed.add(world.pair("live"))
        try await crashed.run()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: world.library + "/live.MOV"))

        try await world.queue().run()
        #expect(try world.files() == ["live (2).MOV", "live (2).jpg", "live.MOV"])
        #expect(try world.file("live.MOV") == Array("mine".utf8))
    }
}
