import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The queue, which other programs also fill and control.
    @Suite("Downloads in the window", .sandbox)
    struct DownloadsPageTests {
        @Test("DL-7 DL-9 files that another program downloads appear, a failed one with its reason, and can be cleared")
        func otherProgram() async throws {
            try await withAccount { app, folders, sandbox in
                try await app.open("Downloads")
                try await app.wait(for: .heading, "No downloads")
                try await app.wait(for: .button, "Open folder")
                let missing = sandbox.addresses["immich"]! + "/api/assets/missing/original"
                #expect(try await folders.latch("download", missing).code == 1)
                try await app.wait(for: .label, containing: "The server refused the request")
                #expect(try await folders.latch("download", "--all").code == 0)
                try await app.wait(for: .listItem, "Großes Panorama.jpg")
                try await app.wait(for: .label, containing: "11 of 11 files")
                try await app.wait(for: .label, containing: "1 failed")
                try await app.press("Show failures")
                try await app.waitUntilGone(.listItem, "Großes Panorama.jpg")
                try await app.press("Retry", in: "original")
                try await app.wait(for: .label, containing: "The server refused the request")
                try await app.press("Clear finished")
                try await app.wait(for: .heading, "No downloads")
            }
        }

        @Test("DL-12 DL-17 files are resumed and downloaded in the background, and all are cancelled after a question")
        func commands() async throws {
            try await withAccount { app, folders, _ in
                #expect(try await folders.latch("download", "--favourites").code == 0)
                #expect(try await folders.latch("download", "--all").code == 0)
                try await folders.addDownloads(3, ["waiting"])
                try await app.open("Downloads")
                try await app.wait(for: .heading, "3 items not started")
                try await app.press("Pause")
                try await app.wait(for: .heading, "Paused")
                try await app.press("Cancel", in: "IMG_3.jpg")
                try await app.waitUntilGone(.listItem, "IMG_3.jpg")
                try await app.press("Cancel all")
                try await app.wait(for: .label, "Cancel all downloads?")
                try await app.press("Keep")
                try await app.wait(for: .listItem, "IMG_1.jpg")
                try await app.press("Resume", in: "IMG_1.jpg")
                try await app.wait(for: .label, containing: "11 of 12 files")
                try await app.press("Cancel all")
                try await app.wait(for: .label, "Cancel all downloads?")
                try await app.press("Cancel all")
                try await app.wait(for: .heading, "Download complete")
                try await app.waitUntilGone(.listItem, "IMG_2.jpg")
            }
        }

        @Test("DL-9 DL-10 a queue of a million files opens, is paged and filtered, in bounded memory")
        func million() async throws {
            try await withAccount { app, folders, _ in
                #expect(try await folders.latch("download", "--all").code == 0)
                try await folders.addDownloads(1_000_000, ["paused", "done", "failed", "done"])
                let start = ContinuousClock.now
                try await app.open("Downloads")
                try await app.wait(for: .listItem, "IMG_90.jpg")
                let opened = ContinuousClock.now
                try await app.press("Next page")
                try await app.wait(for: .listItem, "IMG_190.jpg")
                let paged = ContinuousClock.now
                try await app.press("Previous page")
                try await app.wait(for: .listItem, "IMG_90.jpg")
                try await app.choose("Failed", in: "Show in the list", down: 5)
                try await app.wait(for: .listItem, "IMG_398.jpg")
                try await app.wait(for: .label, containing: "The server <b>refused</b> &amp; closed.")
                let memory = try #require(app.program.memory)
                print("A million files: opened in \(opened - start), next page in \(paged - opened)", memory >> 20)
                #expect(memory < 400 * 1_048_576)
            }
        }
    }
}
