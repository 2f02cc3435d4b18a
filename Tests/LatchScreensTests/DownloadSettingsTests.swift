import Foundation
import LatchDownloads
import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// The settings of downloads.
@MainActor
@Suite("Download settings", .timeLimit(.minutes(5)))
struct DownloadSettingsTests {
    /// Runs `body` with the screen shown.
    private func with(_ body: (DownloadFixture, DownloadSettingsScreen) async throws -> Void) async throws {
        try await DownloadFixture.with { fixture in
            let screen = DownloadSettingsScreen(fixture.latch, environment: fixture.environment)
            let running = Task { await screen.run() }
            try await observed { screen.state == .editing(nil) }
            try await attempt {
                try await body(fixture, screen)
            } finally: {
                running.cancel()
                await running.value
            }
        }
    }

    @Test("DL-11 the folder is changed for all further files, and refused while files wait for the previous one")
    func folder() async throws {
        try await with { fixture, screen in
            let (before, after) = (fixture.folder.path + "/Library", fixture.folder.path + "/Elsewhere")
            #expect(screen.folder == before)
            try await fixture.add(["one.jpg"])
            screen.setFolder(after)
            await screen.change?.value
            #expect(screen.folderError?.remedy == .finishDownloads && screen.folder == before)
            #expect(
                screen.folderError?.message
                    == "Files are still waiting to be saved to '\(before)'. Download or cancel them first.")
            #expect(!FileManager.default.fileExists(atPath: after))

            try await fixture.queue().cancelAll()
            screen.setFolder(after)
            await screen.change?.value
            #expect(screen.folderError == nil && screen.error == nil && screen.folder == after)
            #expect(FileManager.default.fileExists(atPath: after))
            #expect(try await LibraryLocations(fixture.latch).folder(of: fixture.account) == after)
            try await observed { fixture.screen.folder == after }
        }
    }

    @Test("DL-11 a folder that cannot be used is refused with the obstacle, and the previous one stays")
    func unusable() async throws {
        try await with { fixture, screen in
            let before = screen.folder
            try Data().write(to: URL(fileURLWithPath: fixture.folder.path + "/file"))
            for path in ["Pictures", fixture.folder.path + "/file", fixture.folder.path + "/file/below"] {
                screen.setFolder(path)
                await screen.change?.value
                #expect(screen.folderError?.message.contains(path) == true, "\(String(describing: screen.folderError))")
                #expect(screen.folder == before)
            }
        }
    }

    @Test("DL-11 DL-17 arrangement, live photos and metered networks are stored, and seen by other programs")
    func preferences() async throws {
        try await with { fixture, screen in
            #expect(screen.layout == .flat && !screen.keepsMotionPhotos && !screen.fetchesMetered)
            screen.setLayout(.date)
            screen.setKeepsMotionPhotos(true)
            screen.setFetchesMetered(true)
            await screen.change?.value
            #expect(screen.layout == .date && screen.keepsMotionPhotos && screen.fetchesMetered)
            let stored = try await LibraryLocations(fixture.latch).last()
            #expect(stored?.layout == .date && stored?.keepsMotionPhotos == true)

            try fixture.installProgram()
            try await fixture.add(["one.jpg"])
            fixture.screen.start()
            await fixture.screen.command?.value
            #expect(fixture.started == ["download --keep-trying --metered"], "\(fixture.started)")
        }
    }

    @Test("IM-6 followed libraries are listed with what happens to new pictures, and no longer followed when stopped")
    func following() async throws {
        try await with { fixture, screen in
            let place = LibraryLocation(folder: fixture.folder.path + "/Library")
            try await FollowedLibraries(fixture.latch).add(
                FollowedLibrary(
                    account: fixture.account.id, selection: DownloadSelection(isWholeLibrary: true), location: place))
            screen.setLayout(.flat)
            await screen.change?.value
            let row = try #require(screen.libraries.first)
            #expect(row.title == "ada@example.org at \(fixture.account.serverURL.authority)" && row.status == .stopped)
            screen.stopFollowing(row.id)
            await screen.change?.value
            #expect(screen.libraries.isEmpty && screen.error == nil)
            #expect(try await FollowedLibraries(fixture.latch).all().isEmpty)
        }
    }

    @Test("DL-11 IM-6 a chosen folder applies to followed libraries and to accounts that sign in later, and stays")
    func everywhere() async throws {
        try await with { fixture, screen in
            let (before, after) = (screen.folder, fixture.folder.path + "/Elsewhere")
            let (followed, locations) = (FollowedLibraries(fixture.latch), LibraryLocations(fixture.latch))
            try await locations.remember(before, for: fixture.account)
            try await followed.add(
                FollowedLibrary(
                    account: fixture.account.id, selection: DownloadSelection(isWholeLibrary: true),
                    location: LibraryLocation(folder: before)))
            screen.setLayout(.flat)
            await screen.change?.value
            screen.setFolder(after)
            #expect(
                screen.question?.text.hasPrefix("The followed libraries are downloaded again, to '\(after)'.") == true)
            screen.cancel()
            #expect(screen.question == nil && screen.folderText == before)
            screen.setFolder(after)
            screen.confirm()
            screen.setKeepsMotionPhotos(true)
            await screen.change?.value
            #expect(screen.error == nil && screen.folder == after)
            let chosen = LibraryLocation(folder: after, keepsMotionPhotos: true)
            #expect(try await followed.all().map(\.location) == [chosen])
            let later = try await fixture.signInElsewhere()
            for account in [fixture.account, later] {
                #expect(try await locations.next(for: account, environment: [:]).location == chosen)
            }
            screen.setLayout(.date)
            await screen.change?.value
            #expect(screen.folder == after && screen.keepsMotionPhotos)
            #expect(try await followed.all().map(\.location.layout) == [.date])
        }
    }

    @Test("DL-11 a typed folder stays while something else changes, and a refused one stays with its error")
    func typed() async throws {
        try await with { fixture, screen in
            let before = screen.folder
            #expect(screen.folderText == before)
            try await observed { screen.freeSpace.hasSuffix("B") }
            screen.folderText = fixture.folder.path + "/Typ"
            try await DownloadPreferences(fixture.latch).setFetchesMetered(true)
            try await observed { screen.fetchesMetered }
            #expect(screen.folderText == fixture.folder.path + "/Typ" && screen.folderError == nil)

            screen.setFolder("Pictures")
            await screen.change?.value
            #expect(screen.folderText == "Pictures" && screen.folder == before)
            #expect(screen.folderError?.message.contains("full path") == true && screen.error == nil)
            // Another change does not hide that the typed folder was refused.
            screen.setFetchesMetered(false)
            await screen.change?.value
            #expect(!screen.fetchesMetered && screen.folderError != nil && screen.folderText == "Pictures")
            screen.folderText = "Pictures/"
            #expect(screen.folderError == nil)
            screen.setFolder(fixture.folder.path + "/Typed/")
            await screen.change?.value
            #expect(screen.folderText == fixture.folder.path + "/Typed" && screen.folder == screen.folderText)
        }
    }
}
