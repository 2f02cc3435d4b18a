import DesktopDriver
import Foundation
import Synchronization
import Testing

extension WindowTests {
    /// The locked folder of Immich.
    @Suite("The locked folder in the window", .sandbox)
    struct LockedFolderPageTests {
        private let immich = SandboxTrait.sandbox?.addresses["immich"] ?? ""

        @Test(
            "IM-15 DL-1 a wrong and the right PIN; other downloads prevent its download, later its file is here; Back locks it"
        )
        func download() async throws {
            let (files, locks) = (HeldResponses(), AsyncStream.makeStream(of: Void.self))
            try await withForwardedAccount { [immich] _, path in
                if path.hasSuffix("/session/lock") { locks.continuation.yield() }
                return path.contains("/original") ? .forward(to: immich, holding: files) : nil
            } _: { app, folders, _ in
                try await openLockedFolder(app)
                try await app.wait(
                    for: .label,
                    "You have no PIN at the server. Set one under 'This account', 'PIN of the locked folder'.")
                try await setPIN(folders)
                try await app.press("Locked folder")
                try await unlock(app, "111111")
                try await app.wait(for: .alert, containing: "PIN")
                try await app.wait(forText: "", in: "PIN")
                try await unlock(app, "482913")
                try await app.wait(for: .label, containing: "1 file to download, ")
                try await app.press("Back")
                for await _ in locks.stream { break }
                try await requireLocked(folders)

                files.hold()
                let other = Task { try await folders.latch("download", "--all") }
                await files.waitUntilHeld()
                try await openLockedFolder(app)
                try await unlock(app, "482913")
                try await app.press("Download")
                try await app.wait(
                    for: .alert,
                    containing: "Other files are being downloaded. Pause them or wait for their end, then try again.")
                for await _ in locks.stream { break }
                files.release()
                #expect(try await other.value.code == 0)
                try await unlock(app, "482913")
                try await app.press("Download")
                try await app.wait(for: .label, "1 file was downloaded. The folder is locked again.")
                try await requireLocked(folders)
                let names = try FileManager.default.contentsOfDirectory(
                    atPath: folders.root.path + "/Pictures/Immich")
                #expect(names.contains("Nur für mich.jpg"), "\(names)")
                try await removePIN(folders)
            }
        }

        @Test(
            "IM-15 IM-16 a server that fails is told; an unlocking that is left while the server responds locks again")
        func late() async throws {
            let (held, fails, locks) = (HeldResponses(), Flag(), AsyncStream.makeStream(of: Void.self))
            try await withForwardedAccount { [immich] _, path in
                if path.hasSuffix("/session/lock") { locks.continuation.yield() }
                guard path.contains("/session/unlock") else { return nil }
                return fails.value
                    ? .json("{\"message\":\"The server is tired.\"}", status: 500) : .forward(to: immich, holding: held)
            } _: { app, folders, _ in
                try await setPIN(folders)
                try await openLockedFolder(app)
                fails.value = true
                try await unlock(app, "482913")
                try await app.wait(
                    for: .alert, containing: "has an internal error (status 500). Try again later. You stay signed in.")
                fails.value = false
                held.hold()
                try await unlock(app, "482913")
                await held.waitUntilHeld()
                try await app.press("Back")
                try await app.wait(for: .listItem, "Downloads")
                held.release()
                for await _ in locks.stream { break }
                try await requireLocked(folders)
                #expect(app.isVisible(.listItem, "Downloads"))
                try await openLockedFolder(app)
                try await unlock(app, "482913")
                try await app.wait(for: .label, containing: "1 file to download, ")
                try await app.press("Lock again")
                try await app.wait(for: .field, "PIN")
                try await removePIN(folders)
            }
        }

        private func openLockedFolder(_ app: DesktopApp) async throws {
            try await app.open("Library")
            try await app.press("Locked folder")
        }

        private func unlock(_ app: DesktopApp, _ pin: String) async throws {
            try await app.type(pin, into: "PIN")
            try await app.press("Unlock")
        }

        private func setPIN(_ folders: PersonFolders) async throws {
            let result = try await folders.latch("pin", "set", "--pin-stdin", input: "482913\n")
            #expect(result.code == 0, "\(result.errors)")
        }

        private func removePIN(_ folders: PersonFolders) async throws {
            let result = try await folders.latch("pin", "remove", "--pin-stdin", input: "482913\n")
            #expect(result.code == 0, "\(result.errors)")
        }

        private func requireLocked(_ folders: PersonFolders) async throws {
            let status = try await folders.latch("pin", "status", "--json")
            #expect(status.output.contains("\"isUnlocked\":false"), "\(status.output) \(status.errors)")
        }
    }
}
