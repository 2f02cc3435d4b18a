import Foundation
import HTTPClient
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// Two clients with databases of their own bring files to one folder: two people's, or two machines' on a shared one.
@Suite(.timeLimit(.minutes(20)))
struct SharedFolderTests {
    private let (fixture, otherClient): (DownloadFixture, DownloadFixture)
    private var folder: String { fixture.library + "/.latchstring/" }

    init() async throws { (fixture, otherClient) = (try await DownloadFixture(), try await DownloadFixture()) }

    /// The other client's queue, which brings its files to the first one's folder.
    private func otherClientsQueue(now: @escaping @Sendable () -> Date = { Date() }) -> DownloadQueue {
        otherClient.queue(library: FolderLibrary(folder: fixture.library), now: now)
    }

    /// Leaves the first client with a file that has come by half and is paused; its part's name.
    private func pauseHalfWay() async throws -> String {
        fixture.stall("slow", after: 5_000)
        let queue = fixture.queue()
        try await queue.add([fixture.task("slow")])
        let events = queue.events
        let run = Task { try await queue.run() }
        for await event in events {
            if case .progress("slow", 5_000, _) = event { break }
        }
        try await queue.pause(["slow"])
        try await run.cancellableValue
        fixture.intercept { _ in nil }
        return try #require(fixture.parts().first)
    }

    /// The first client goes on, and asks its server for what is missing alone.
    private func resumeDownload() async throws {
        let queue = fixture.queue()
        #expect(try await queue.resume(["slow"]) == 1)
        try await queue.run()
        #expect(fixture.server.requests.last?.headers["range"] == "bytes=5000-")
        #expect(try fixture.file("slow.jpg") == fixture.bytes(of: "slow"))
    }

    @Test(
        "DL-2 one client's paused file resumes in the middle, even after another client's run on the folder"
    )
    func paused() async throws {
        let part = try await pauseHalfWay()
        let queue = otherClientsQueue()
        for name in ["theirs", "more"] {
            try await queue.add([otherClient.task(name)])
            try await queue.run()
        }
        // One who cancels removes what is left of that.
        try await queue.cancel("gone")
        #expect(fixture.parts() == [part])
        try await resumeDownload()
        #expect(try fixture.files() == ["more.jpg", "slow.jpg", "theirs.jpg"] && fixture.parts().isEmpty)
    }

    @Test(
        "DL-2 a part of an earlier version without an owner's name is resumed, and no other client removes it"
    )
    func earlierVersion() async throws {
        let part = try await pauseHalfWay()
        let old = PartName.old(fixture.account.id, "slow")
        try FileManager.default.moveItem(atPath: folder + part, toPath: folder + old)
        try await otherClientsQueue().run()
        #expect(fixture.parts() == [old])
        try await resumeDownload()
        #expect(fixture.parts().isEmpty)
    }

    @Test(
        "A part of another client that was not changed for 30 days is removed, except if it is being written")
    func abandoned() async throws {
        let part = try await pauseHalfWay()
        let names = [part, PartName(owner: "01234567").of(UUID(), "whole"), PartName.old(UUID(), "earlier")]
        for name in names.dropFirst() {
            #expect(FileManager.default.createFile(atPath: folder + name, contents: Data("x".utf8)))
        }
        // Whole, and of the time that its picture has.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: folder + names[1])
        try await otherClientsQueue { Date() + 29 * 86_400 }.run()
        #expect(Set(fixture.parts()) == Set(names))

        let written = try DownloadPart(path: folder + part, mustExist: true)
        try await otherClientsQueue { Date() + 31 * 86_400 }.run()
        #expect(fixture.parts() == [part])
        written.close()
        try await otherClientsQueue { Date() + 31 * 86_400 }.run()
        #expect(fixture.parts().isEmpty)
    }
}
