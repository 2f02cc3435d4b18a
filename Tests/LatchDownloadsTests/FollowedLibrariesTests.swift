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

        var all: [String] { folders.withLock { $0 } }

        @Sendable func follow(_ library: FollowedLibrary) async {
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
        try await eventually { running.all.isEmpty }
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
}
