import Foundation
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

@Suite(.timeLimit(.minutes(5))) struct FollowedLibrariesTests {
    /// The libraries that are followed now.
    private final class Running: Sendable {
        private let folders = Mutex<[String]>([])
        private let starts = Mutex(0)

        var all: [String] { folders.withLock { $0 } }
        /// How often a library began to be followed.
        var count: Int { starts.withLock { $0 } }

        @Sendable func follow(_ library: FollowedLibrary) async {
            starts.withLock { $0 += 1 }
            folders.withLock { $0.append(library.location.folder) }
            try? await Task.sleep(for: .seconds(3_600))
            folders.withLock { $0.removeAll { $0 == library.location.folder } }
        }
    }

    private func library(_ fixture: DownloadFixture, _ folder: String) -> FollowedLibrary {
        FollowedLibrary(
            account: fixture.account.id, selection: DownloadSelection(isWholeLibrary: true, isFavouritesOnly: true),
            location: LibraryLocation(folder: folder, layout: .date))
    }

    @Test("IM-6 The list keeps a library of each account with its selection and place")
    func list() async throws {
        let fixture = try await DownloadFixture()
        let followed = FollowedLibraries(fixture.latch)
        #expect(try await followed.all().isEmpty)
        try await followed.add(library(fixture, "/one"))
        try await followed.add(library(fixture, "/two"))
        #expect(try await followed.all() == [library(fixture, "/two")])
        #expect(try await followed.remove(UUID()) == 0)
        #expect(try await followed.remove(fixture.account.id) == 1)
        #expect(try await followed.all().isEmpty)
    }

    @Test("IM-6 A library is followed once, anew after a change by another program, and not after its removal")
    func changes() async throws {
        let fixture = try await DownloadFixture()
        let other = FollowedLibraries(try await fixture.otherProgram().latch)
        try await other.add(library(fixture, "/one"))
        let running = Running()
        let run = Task { try await FollowedLibraries(fixture.latch).run(running.follow) }
        try await eventually { running.all == ["/one"] }
        try await other.add(library(fixture, "/two"))
        try await eventually { running.all == ["/two"] }
        try await other.remove()
        try await run.value
        #expect(running.all.isEmpty && running.count == 2)
    }

    @Test(
        "IM-6 A search that is in progress adds no file to the queue after the library is no longer followed",
        arguments: [true, false])
    func removedDuringSearch(_ isReplaced: Bool) async throws {
        let pictures = (1...2).map { PictureServer.Picture($0, "picture-\($0).jpg", patternBytes(1_000)) }
        let server = try PictureServer(pictures)
        try await LibraryFixture.with(server) { fixture in
            let (folder, selection) = (fixture.home.file("Pictures"), DownloadSelection(isWholeLibrary: true))
            let library = PictureLibrary(fixture.latch, folder: folder)
            let (queue, list) = (DownloadQueue(fixture.latch, library: library), FollowedLibraries(fixture.latch))
            let followed = FollowedLibrary(
                account: fixture.account.id, selection: selection, location: library.location)
            try await list.add(followed)
            var files = SelectedFiles(of: selection, in: library)
            for try await page in DownloadChooser(fixture.account, fixture.session).pages(of: selection) {
                #expect(page.count == 2)
                try await files.add([page[0]], to: queue, from: followed)
                if isReplaced {
                    try await list.add(
                        FollowedLibrary(
                            account: fixture.account.id, selection: selection,
                            location: LibraryLocation(folder: fixture.home.file("Elsewhere"))))
                } else {
                    #expect(try await list.remove(fixture.account.id) == 1)
                }
                let error = await #expect(throws: LatchError.self) {
                    try await files.add([page[1]], to: queue, from: followed)
                }
                #expect(error?.code == .cancelled)
            }
            #expect(try await queue.tasks().map(\.task.filename) == ["picture-1.jpg"])
        }
    }

    @Test("IM-11 A sign-out ends following, and removes the library from the list")
    func signOut() async throws {
        let fixture = try await DownloadFixture()
        let followed = FollowedLibraries(fixture.latch)
        try await followed.add(library(fixture, "/one"))
        let running = Running()
        let run = Task { try await followed.run(running.follow) }
        try await eventually { running.all == ["/one"] }
        try await fixture.latch.signOut(fixture.account)
        try await run.value
        #expect(try await followed.all().isEmpty)
    }

    @Test("IM-6 One program follows the list, and another one waits only for a program that ends")
    func oneProgram() async throws {
        let fixture = try await DownloadFixture()
        let (one, two) = (
            FollowedLibraries(fixture.latch), FollowedLibraries(try await fixture.otherProgram().latch)
        )
        try await one.add(library(fixture, "/one"))
        let lock = try await one.lockProgram()
        #expect(try two.isRunning())
        let error = await #expect(throws: LatchError.self) { try await two.lockProgram() }
        #expect(error?.code == .storageLocked)

        try await one.remove()
        let waiting = Task { try await two.lockProgram() }
        lock.release()
        try await waiting.value.release()
        #expect(try !two.isRunning())
    }

    @Test("IM-6 A search looks for changes since a day before the last one, and for everything once a day")
    func searchTimes() async throws {
        let (times, start, now) = (SearchTimes(), ContinuousClock.now, Date(timeIntervalSince1970: 1_800_000_000))
        let day = 86_400.0
        func search(after seconds: Double, clock: Double) async throws -> Date? {
            var found: Date?
            try await times.search(now: now + clock, at: start + .seconds(seconds)) { found = $0 }
            return found
        }
        #expect(try await search(after: 0, clock: 0) == nil)
        #expect(try await search(after: 60, clock: 60) == now - day)
        // The clock of this machine was set back by three days: the time since the last search counts.
        #expect(try await search(after: 120, clock: 120 - 3 * day) == now + 60 - 4 * day)
        await #expect(throws: CancellationError.self) {
            try await times.search(now: now, at: start + .seconds(180)) { _ in throw CancellationError() }
        }
        #expect(try await search(after: 240, clock: 240) == now + 120 - day)
        #expect(try await search(after: day, clock: day) == nil)
    }
}
