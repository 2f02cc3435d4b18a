import DesktopDriver
import Foundation
import Synchronization
import Testing

extension WindowTests {
    /// The picture library: its sections, its failures, and responses that arrive late.
    @Suite("The library in the window", .sandbox)
    struct LibraryPageTests {
        private let immich = SandboxTrait.sandbox?.addresses["immich"] ?? ""

        @Test("DL-1 DL-9 all pictures, favourites, albums with covers and counts, and a year; Back leads through them")
        func sections() async throws {
            let (covers, hasFavourite) = (HeldResponses(), Flag())
            covers.hold()
            try await withForwardedAccount { [immich] _, path in
                if path.contains("/thumbnail") { return .forward(to: immich, holding: covers) }
                guard hasFavourite.value, path.contains("isFavorite=true") else { return nil }
                return path.contains("/buckets")
                    ? .json("[{\"timeBucket\":\"2024-06-01\",\"count\":1}]")
                    : .forward(to: immich, path: path.replacing("&isFavorite=true", with: ""))
            } _: { app, _, _ in
                try await app.open("Library")
                try await app.wait(for: .label, "0 of 8 selected")
                try await app.wait(for: .image, "Live photo, 3 July 2024, 13:21")
                try await app.press("Albums")
                try await app.wait(for: .listItem, "Familie")
                try await app.wait(for: .label, "1 picture")
                try await app.wait(for: .label, "5 pictures")
                await covers.waitUntilHeld()
                let before = try await app.completeScreenshot("albums")
                covers.release()
                // The covers are drawn.
                while try await app.completeScreenshot("albums") == before {}
                try await app.open("Sommer an der See")
                try await app.wait(for: .label, "0 of 5 selected")
                try await app.press("Back")
                try await app.wait(for: .listItem, "Familie")
                try await app.press("By year")
                try await app.wait(for: .listItem, "2023")
                try await app.open("2024")
                try await app.wait(for: .label, "0 of 6 selected")
                try await app.press("Back")
                try await app.wait(for: .listItem, "2023")
                try await app.press("Favourites")
                try await app.wait(for: .label, "There are no favourites.")
                hasFavourite.value = true
                try await app.press("Favourites")
                try await app.wait(for: .label, "0 of 1 selected")
                try await app.wait(for: .image, "Photo, 15 June 2024, 12:00")
                try await app.press("Back")
                try await app.wait(for: .listItem, "Downloads")
            }
        }

        /// What the server does with requests for the library.
        private enum Mode { case works, empty, fails, closes, ends }

        @Test(
            "DL-1 IM-16 an empty library, a server that fails, cannot be reached, and ends the session, each with what to do"
        )
        func failures() async throws {
            let mode = Mutex(Mode.empty)
            try await withForwardedAccount { _, path in
                let isLibrary = path.contains("/timeline/") || path.contains("/albums")
                switch mode.withLock(\.self) {
                case .empty where isLibrary: return .json("[]")
                case .fails where isLibrary: return .json("{\"message\":\"The disk <b>died</b>\"}", status: 500)
                case .closes: return .closed
                case .ends where !path.contains("/server/"):
                    return .json("{\"message\":\"Invalid user token\",\"statusCode\":401}", status: 401)
                default: return nil
                }
            } _: { app, _, server in
                try await app.open("Library")
                try await app.wait(for: .label, "The library is empty.")
                try await app.press("Albums")
                try await app.wait(for: .label, "There are no albums.")
                mode.withLock { $0 = .fails }
                try await app.press("By year")
                try await app.wait(
                    for: .alert,
                    "The months of the library could not be listed: \(server.address) says: The disk <b>died</b>.")
                mode.withLock { $0 = .works }
                try await app.press("Retry")
                try await app.wait(for: .listItem, "2024")
                mode.withLock { $0 = .closes }
                try await app.press("Albums")
                try await app.wait(
                    for: .alert, containing: "The connection to \(server.address) was lost before the response was")
                try await app.wait(for: .alert, containing: "Try again")
                mode.withLock { $0 = .works }
                try await app.press("Retry")
                try await app.wait(for: .listItem, "Familie")
                mode.withLock { $0 = .ends }
                try await app.press("All pictures")
                try await app.wait(for: .field, "Password")
                try await app.wait(for: .label, containing: "You were signed out because the server no longer knows")
            }
        }

        @Test("DL-1 RM-9 a response after another section, after Back or after another account changes nothing")
        func late() async throws {
            let held = HeldResponses()
            let sandbox = try #require(SandboxTrait.sandbox)
            try await withForwardedAccount { [immich] _, path in
                path.contains("/timeline/buckets") ? .forward(to: immich, holding: held) : nil
            } _: { app, folders, _ in
                held.hold()
                try await app.open("Library")
                await held.waitUntilHeld()
                try await app.press("Albums")
                try await app.wait(for: .listItem, "Familie")
                held.release()
                // Each question to the window is answered after the response has been handled.
                try await app.press("Download", in: "Familie")
                try await app.wait(for: .label, containing: "1 file to download")
                try await app.press("Cancel")
                try await app.wait(for: .listItem, "Familie")

                held.hold()
                try await app.press("All pictures")
                await held.waitUntilHeld()
                try await app.press("Back")
                try await app.wait(for: .listItem, "Downloads")
                held.release()
                try await app.open("Downloads")
                try await app.wait(for: .heading, "No downloads")
                try await app.press("Back")
                try await app.wait(for: .listItem, "Library")
                #expect(!app.tree().contains("of 8 selected"))

                held.hold()
                try await app.open("Library")
                await held.waitUntilHeld()
                try await folders.signIn("bob@example.org", sandbox, "immich")
                try await app.wait(for: .label, "bob@example.org")
                held.release()
                try await app.open("Library")
                try await app.wait(for: .label, "0 of 2 selected")
            }
        }
    }
}
