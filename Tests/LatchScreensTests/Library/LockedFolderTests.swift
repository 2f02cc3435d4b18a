import Crypto
import Foundation
import LatchDownloads
import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// The locked folder in the library, at the gateway of the sandbox.
@MainActor
@Suite("Locked folder screen", .timeLimit(.minutes(5)))
struct LockedFolderTests {
    /// Runs `body` with the library of a person who has a PIN, and the folder for the files.
    private func with(
        _ body: (LibraryScreen, LatchClient, Account, TemporaryDirectory) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let account = try await fixture.signIn(app).account
            let client = try #require(app.client)
            try await LibraryLocations(client).remember(folder.path + "/Immich", for: account)
            let screen = LibraryScreen(
                client, account: account,
                background: .init {
                } follow: {
                })
            try await body(screen, client, account, folder)
            screen.stop()
        }
    }

    private func open(_ screen: LibraryScreen) throws -> LockedFolderScreen {
        screen.show(.locked)
        return try #require(screen.lockedFolder)
    }

    @Test("IM-15 DL-1 the locked folder asks for the PIN, tells a wrong one, is downloaded, and is locked again")
    func download() async throws {
        try await with { screen, client, account, folder in
            #expect(screen.sections.last == .locked)
            let none = try open(screen)
            try await observed { none.state == .noPIN(LockedFolderScreen.Text.noPIN) }
            try await client.perform(.set(try PIN(Secret("123456"))), of: account)

            let locked = try open(screen)
            try await observed { locked.state == .locked(nil) }
            locked.pin = "12"
            locked.unlock()
            guard case .locked(let digits?) = locked.state else { throw Unexpected() }
            #expect(digits.code == .invalidRequest && locked.pin.isEmpty)
            locked.pin = "000000"
            locked.unlock()
            #expect(locked.pin.isEmpty)
            let wrong = try await observed {
                if case .locked(let error?) = locked.state, error != digits { error } else { nil }
            }
            #expect(wrong.code == .wrongPIN)

            locked.pin = "123456"
            locked.unlock()
            let summary = try await observed { if case .unlocked(let summary) = locked.state { summary } else { nil } }
            #expect(summary.files == 1 && summary.spaceError == nil)
            #expect(try await client.pinState(of: account).isUnlocked)
            locked.download()
            try await observed { locked.state == .done("1 file was downloaded. The folder is locked again.") }
            #expect(try await !client.pinState(of: account).isUnlocked)
            let file = folder.path + "/Immich/Nur f\u{FC}r mich.jpg"
            #expect(FileManager.default.fileExists(atPath: file))
            let queue = DownloadQueue(client, library: FolderLibrary(folder: folder.path + "/Immich"))
            #expect(try await queue.progress().open == 0)
        }
    }

    @Test("IM-15 the folder is locked again when the person leaves the page, and a download that has not begun ends")
    func leaving() async throws {
        try await with { screen, client, account, folder in
            try await client.perform(.set(try PIN(Secret("123456"))), of: account)
            let locked = try open(screen)
            try await observed { locked.state == .locked(nil) }
            locked.pin = "123456"
            locked.unlock()
            try await observed { if case .unlocked = locked.state { true } else { false } }
            screen.stop()
            #expect(screen.lockedFolder == nil && locked.state == .locked(nil))
            await locked.finishCommands()
            #expect(try await !client.pinState(of: account).isUnlocked)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/Immich"))
        }
    }

    private struct Unexpected: Error {}
}
