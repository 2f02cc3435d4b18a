import Foundation
import HTTPClient
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// The name that a file would get is already in use.
@Suite(.timeLimit(.minutes(20)))
struct NameConflictTests {
    enum Link: String, CaseIterable { case toNothing, toFolder, toItself }

    private let fixture: DownloadFixture
    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: fixture.library)) ?? [] }

    init() async throws { fixture = try await DownloadFixture() }

    /// Creates a symbolic link with a name, and returns its target.
    private func put(_ link: Link, at name: String) throws -> String {
        let (files, path) = (FileManager.default, fixture.library + "/" + name)
        try files.createDirectory(atPath: fixture.library, withIntermediateDirectories: true)
        let target =
            switch link {
            case .toNothing: "/media/not-mounted/\(name)"
            case .toFolder: fixture.folder.path
            case .toItself: path
            }
        try files.createSymbolicLink(atPath: path, withDestinationPath: target)
        return target
    }

    private func target(of name: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: fixture.library + "/" + name)
    }

    @Test(
        "DL-2 DL-13 a symbolic link with a file's name stays unchanged, and the file gets the next name",
        arguments: Link.allCases)
    func single(_ link: Link) async throws {
        let target = try put(link, at: "one.jpg")
        let queue = fixture.queue()
        try await queue.add([fixture.task("one"), fixture.task("two")])
        try await queue.run()
        #expect(try await queue.progress().done == 2)
        #expect(try self.target(of: "one.jpg") == target)
        #expect(
            try fixture.file("one (2).jpg") == fixture.bytes(of: "one")
                && fixture.file("two.jpg") == fixture.bytes(of: "two"))
    }

    @Test(
        "DL-6 DL-13 the same is true for the names of both parts of a live photo, and of a joined file",
        arguments: Link.allCases, ["live.jpg", "live.MOV", "joined"])
    func pair(_ link: Link, _ name: String) async throws {
        let occupied = name == "joined" ? "live.jpg" : name
        let target = try put(link, at: occupied)
        let folder = FolderLibrary(folder: fixture.library)
        let queue = fixture.queue(library: name == "joined" ? JoiningLibrary(inner: folder) : folder)
        try await queue.add(fixture.pair("live"))
        try await queue.run()
        #expect(try await queue.progress().done == 2)
        #expect(try self.target(of: occupied) == target)
        let wanted = name == "joined" ? ["live (2).jpg"] : ["live (2).MOV", "live (2).jpg"]
        #expect(Set(names).subtracting([".latchstring", occupied]) == Set(wanted))
    }

    @Test(
        "DL-12 DL-13 the queue stops even if another program takes each name; the file is saved at the next start"
    )
    func stopped() async throws {
        let box = Mutex<DownloadQueue?>(nil)
        let run = Mutex<Task<Void, any Error>?>(nil)
        let count = Mutex(0)
        var hook = DownloadHook()
        hook.after = { [fixture] step in
            guard step == .fileRecorded else { return }
            let number = count.withLock { count in
                count += 1
                return count
            }
            // So that the test also ends when it fails.
            guard number < 50 else { return }
            let name = number == 1 ? "one.jpg" : "one (\(number)).jpg"
            try Data().write(to: URL(fileURLWithPath: fixture.library + "/" + name))
            guard number == 5 else { return }
            run.withLock { $0 }?.cancel()
            while let queue = box.withLock({ $0 }), await queue.machine.phase != .stopping { await Task.yield() }
        }
        let queue = DownloadQueue(
            fixture.latch, library: FolderLibrary(folder: fixture.library), settings: .init(), now: { Date() },
            hook: hook)
        box.withLock { $0 = queue }
        // The queue and its hook refer to each other.
        defer { box.withLock { $0 = nil } }
        try await queue.add([fixture.task("one")])
        let began = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            for await _ in began.stream { break }
            try await queue.run()
        }
        run.withLock { $0 = work }
        began.continuation.yield()
        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(count.withLock { $0 } == 5)
        #expect(try await fixture.state("one", queue)?.isOver == false)

        try await fixture.queue().run()
        #expect(try fixture.file("one (6).jpg") == fixture.bytes(of: "one") && fixture.parts().isEmpty)
    }
}
