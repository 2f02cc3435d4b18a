import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The actions that notifications call over the bus: `InstalledApplication.Action`.
    @Suite("Actions of notifications")
    struct ActionTests {
        @Test("DL-15 show-downloads opens the downloads, also when nobody is signed in yet")
        func showDownloads() async throws {
            try await withSandbox { sandbox in
                let folders = try PersonFolders()
                try await withApp(folders) { app, _ in
                    try await app.wait(for: .field, "Server URL")
                    try await call("show-downloads", folders)
                    try await app.connect(to: sandbox.addresses["immich"]!)
                    try await app.type("ada@example.org", into: "Email")
                    try await app.type(sandbox.passwords["ada@example.org"]!, into: "Password")
                    try await app.press("Login")
                    try await app.wait(for: .heading, "No downloads")
                }
                try await withApp(folders) { app, _ in
                    try await call("show-downloads", folders)
                    try await app.wait(for: .heading, "No downloads")
                }
            }
        }

        @Test("DL-15 open-folder gives the folder of the downloads to the desktop's program for folders")
        func openFolder() async throws {
            let folders = try PersonFolders()
            let (opened, pictures) = try makeOpener(folders)
            try await withApp(folders) { app, _ in
                try await app.wait(for: .field, "Server URL")
                let reader = try ChildProgram("/bin/cat", [opened], folder: folders.root)
                try await call("open-folder", folders)
                #expect(await reader.firstLine() == pictures)
            }
        }

        @Test("DL-15 open-folder needs no window when the bus starts the app for it")
        func openFolderWithoutWindow() async throws {
            let folders = try PersonFolders()
            let (opened, pictures) = try makeOpener(folders)
            let app = try ChildProgram(
                Programs.desktop, ["--gapplication-service"], environment: folders.environment, folder: folders.root)
            let reader = try ChildProgram("/bin/cat", [opened], folder: folders.root)
            try await gdbus(["wait", "--session", Self.id], folders)
            try await call("open-folder", folders)
            #expect(await reader.firstLine() == pictures)
            await app.end(SIGKILL)
        }

        /// Makes a program for folders, which writes what it is to open into a pipe. Returns the paths of the pipe and of the folder
        /// of the downloads.
        private func makeOpener(_ folders: PersonFolders) throws -> (pipe: String, folder: String) {
            let pictures = folders.root.appending(path: "Pictures/Immich")
            let applications = folders.root.appending(path: "data/applications")
            for folder in [pictures, applications] {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            let opened = folders.root.appending(path: "opened").path
            try #require(mkfifo(opened, 0o600) == 0)
            let program = folders.root.appending(path: "folders").path
            try "#!/bin/sh\necho \"$1\" >'\(opened)'\n".write(toFile: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
            try """
            [Desktop Entry]
            Type=Application
            Name=Folders
            Exec=\(program) %f
            MimeType=inode/directory;
            """.write(to: applications.appending(path: "folders.desktop"), atomically: true, encoding: .utf8)
            try "[Default Applications]\ninode/directory=folders.desktop\n".write(
                to: folders.root.appending(path: "config/mimeapps.list"), atomically: true, encoding: .utf8)
            return (opened, pictures.path)
        }

        /// Calls an action as the desktop does it when a person presses a button of a notification.
        private func call(_ action: String, _ folders: PersonFolders) async throws {
            try await gdbus(
                [
                    "call", "--session", "--dest", Self.id, "--object-path", "/" + Self.id.replacing(".", with: "/"),
                    "--method", "org.freedesktop.Application.ActivateAction", action, "[]", "{}",
                ], folders)
        }

        private func gdbus(_ arguments: [String], _ folders: PersonFolders) async throws {
            let program = try ChildProgram("/usr/bin/gdbus", arguments, folder: folders.root)
            #expect(await program.exitCode() == 0, "\(program.errors)")
        }

        private static let id = "io.github.latchstring.Latchstring"
    }
}
