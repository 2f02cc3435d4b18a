import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The buttons of single files on the page of the downloads.
    @Suite("Buttons of a download in the window", .sandbox)
    struct DownloadRemedyTests {
        @Test("DL-9 DL-13 each failed file has the button of its remedy, which acts on that file only")
        func remedies() async throws {
            let (exists, isEnded) = (Flag(), Flag())
            let sandbox = try #require(SandboxTrait.sandbox)
            try await withForwardedAccount { _, path in
                if isEnded.value, !path.contains("/server/") {
                    return .json("{\"message\":\"Invalid user token\",\"statusCode\":401}", status: 401)
                }
                return exists.value && path.contains("/missing/") ? .json("[1, 2, 3]") : nil
            } _: { app, folders, server in
                let missing = server.address + "/api/assets/missing/original"
                #expect(try await folders.latch("download", missing).code == 1)
                try await folders.addDownloads(3, ["failed"])
                try await app.open("Downloads")
                try await app.wait(for: .label, containing: "4 failed")
                exists.value = true
                try await app.press("Retry", in: "IMG_2.jpg")
                try await app.wait(for: .label, containing: "3 failed")
                try await app.wait(for: .label, containing: "Done")
                #expect(
                    try await folders.sql("SELECT filename FROM downloads WHERE state = 'done'") == "IMG_2.jpg\n")

                // Without the folder, a retry would fail.
                let pictures = folders.root.appending(path: "Pictures/Immich")
                try FileManager.default.moveItem(at: pictures, to: folders.root.appending(path: "Moved"))
                try await app.press("Back")
                try await app.open("Downloads")
                try await app.press("Choose folder", in: "IMG_1.jpg")
                try await app.wait(for: .button, "Set PIN")
                try FileManager.default.moveItem(at: folders.root.appending(path: "Moved"), to: pictures)
                try await app.press(keys: "Escape")
                try await app.wait(for: .heading, "Download complete, 3 failed")

                // The files of another account wait for its sign-in.
                try await folders.signIn("bob@example.org", sandbox, "immich")
                try await app.wait(for: .label, "bob@example.org")
                try await app.open("Downloads")
                isEnded.value = true
                try await app.press("Retry", in: "IMG_3.jpg")
                try await app.press("Sign in again", in: "IMG_3.jpg")
                try await app.wait(for: .button, "Add account")
            }
        }

        @Test("DL-12 a press on a row that shows another file before the release acts on the file of the press")
        func reusedRow() async throws {
            try await withAccount { app, folders, sandbox in
                let missing = sandbox.addresses["immich"]! + "/api/assets/missing/original"
                #expect(try await folders.latch("download", missing).code == 1)
                try await folders.addDownloads(2, ["paused"])
                try await folders.sql("DELETE FROM downloads WHERE state = 'failed'")
                try await app.open("Downloads")
                try await app.wait(for: .listItem, "IMG_2.jpg")
                try await app.holdPointer(on: "Cancel", in: "IMG_1.jpg")
                try await folders.sql("DELETE FROM downloads WHERE filename = 'IMG_1.jpg'")
                try await app.waitUntilGone(.listItem, "IMG_1.jpg")
                try await app.releasePointer()
                // This question comes after the click.
                try await app.press("Cancel all")
                try await app.answer("Keep")
                try await app.press("Resume", in: "IMG_2.jpg")
                try await app.wait(for: .label, containing: "1 failed")
                try await app.wait(for: .listItem, "IMG_2.jpg")
            }
        }
    }
}
