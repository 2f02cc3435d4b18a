import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The selection of pictures, and the question before they are downloaded.
    @Suite("Selected pictures in the window", .sandbox)
    struct SelectionTests {
        @Test("DL-1 DL-9 DL-11 clicks select pictures, the question names files and bytes, Cancel downloads nothing")
        func selection() async throws {
            try await withAccount { app, folders, _ in
                try await app.open("Library")
                try await app.wait(for: .label, "0 of 8 selected")
                try await app.click(.image, containing: "Live photo, 3 July 2024, 13:21")
                try await app.wait(for: .image, "Live photo, 3 July 2024, 13:21, selected")
                try await app.click(.image, containing: "Video, 2 July 2024, 19:40", holding: "shift")
                try await app.wait(for: .label, "3 of 8 selected")
                // Two live photos have two files each.
                try await app.press("Download")
                try await app.wait(for: .label, "5 files to download, 13 kB.")
                try await app.press("Cancel")
                try await app.wait(for: .label, "3 of 8 selected")
                try await app.press("Back")
                try await app.open("Downloads")
                try await app.wait(for: .heading, "No downloads")
                try await app.press("Back")
                try await app.open("Library")
                try await app.press("Select all")
                try await app.wait(for: .label, "8 of 8 selected")
                try await app.press("Clear selection")
                try await app.wait(for: .label, "0 of 8 selected")
                try await app.click(.image, containing: "Live photo, 3 July 2024, 13:20")
                try await app.wait(for: .label, "1 of 8 selected")

                // A file is where the folder should be made.
                let pictures = folders.root.appending(path: "Pictures")
                try Data().write(to: pictures)
                try await app.press("Download")
                try await app.wait(for: .label, containing: "2 files to download, ")
                try await app.press("Download")
                try await app.wait(
                    for: .alert,
                    containing: "'\(pictures.path)' is a file, not a folder. Move it away, or choose another folder.")
                try await app.press("Cancel")
                try FileManager.default.removeItem(at: pictures)
                try await app.press("Download")
                try await app.wait(for: .label, containing: "2 files to download, ")
                try await app.press("Download")
                try await app.wait(for: .label, "2 files were added to the downloads.")
                try await app.press("Downloads")
                try await app.wait(for: .heading, "Download complete")
                try await app.wait(for: .label, containing: "2 of 2 files")
                let names = try FileManager.default.contentsOfDirectory(atPath: pictures.path + "/Immich")
                #expect(Set(names).isSuperset(of: ["IMG_0001.JPG", "IMG_0001.MOV"]), "\(names)")
            }
        }

        @Test(
            "DL-13 a disk with 64 KiB is told before a download, with what to do; another folder has space",
            .enabled("A disk can be mounted") { await DesktopApp.canMount })
        func fullDisk() async throws {
            try await withForwardedAccount(full: "Pictures/Immich") { _, _ in
                nil
            } _: { app, folders, _ in
                let other = folders.root.appending(path: "Other")
                try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
                try await app.open("Library")
                try await app.press("Download all")
                try await app.wait(for: .label, containing: "files to download, ")
                try await app.wait(
                    for: .alert,
                    containing: "kB free in '\(folders.root.path)/Pictures/Immich'. Free some space, or choose another")
                try await app.press("Change folder…")
                try await app.enter(other.path, inDialog: "Change folder")
                try await app.wait(for: .label, other.path)
                try await app.wait(forSensitive: "Download")
                try await app.waitUntilGone(.alert, containing: "Free some space")
                try await app.press("Cancel")
                try await app.wait(for: .label, "0 of 8 selected")
            }
        }
    }
}
