package import Foundation

/// The folders of one person, which are removed at the end: home, settings and accounts.
package final class PersonFolders: Sendable {
    /// The folder that contains all others.
    package let root: URL
    private let desktop: String

    /// Makes the folders.
    ///
    /// - Parameter desktop: The name of the desktop, such as `GNOME`, for the programs that open links. Empty for none.
    /// - Throws: An error of the system.
    package init(desktop: String = "") throws {
        self.desktop = desktop
        root = FileManager.default.temporaryDirectory.appending(path: "latch-desktop-\(UUID())")
        try FileManager.default.createDirectory(
            at: root.appending(path: "config/gtk-4.0"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // Without animations every state is the last one.
        try Data("[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\n".utf8)
            .write(to: root.appending(path: "config/gtk-4.0/settings.ini"))
        // The secrets of the accounts are in the sealed file, because the bus of the tests has no keyring.
        try FileManager.default.createDirectory(
            at: root.appending(path: "data/latchstring"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data("file".utf8).write(to: root.appending(path: "data/latchstring/secrets.store"))
        // The background downloads are done by the program 'latch' on the path.
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: programs.appending(path: "latch"), withDestinationURL: URL(fileURLWithPath: Programs.latch))
    }

    /// Copies the folders of a person, to ``restore(_:)`` them.
    package init(copying other: PersonFolders) throws {
        desktop = other.desktop
        root = FileManager.default.temporaryDirectory.appending(path: "latch-desktop-\(UUID())")
        try FileManager.default.copyItem(at: other.root, to: root)
    }

    /// Replaces all files with those of a copy. The paths stay the same, because the queue contains some of them.
    ///
    /// - Parameter copy: The copy.
    /// - Throws: An error of the system when a file cannot be copied.
    package func restore(_ copy: PersonFolders) async throws {
        try await waitForPrograms()
        try FileManager.default.removeItem(at: root)
        try FileManager.default.copyItem(at: copy.root, to: root)
    }

    /// Waits for the end of all programs of the person, such as a background program.
    private func waitForPrograms() async throws {
        let mark = Data("XDG_DATA_HOME=\(root.path)/data\0".utf8)
        while try FileManager.default.contentsOfDirectory(atPath: "/proc").contains(where: { process in
            let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            return Int(process) != nil && environment?.range(of: mark) != nil
        }) { try await Task.sleep(for: .milliseconds(20)) }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// The environment that makes a program use these folders.
    package var environment: [String: String] {
        [
            "HOME": root.path, "XDG_DATA_HOME": root.path + "/data", "XDG_STATE_HOME": root.path + "/state",
            "XDG_CONFIG_HOME": root.path + "/config", "XDG_CACHE_HOME": root.path + "/cache",
            "PATH": programs.path + ":/usr/bin:/bin", "XDG_CURRENT_DESKTOP": desktop,
        ]
    }

    private var programs: URL { root.appending(path: "programs") }

    /// Puts a shell script on the path of the person's programs.
    package func addProgram(_ name: String, _ script: String) throws {
        let file = programs.appending(path: name)
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    /// Makes `xdg-open` and `chromium` a person at a browser, who signs in at the sandbox's provider, or denies it.
    package func addBrowser(_ email: String, _ sandbox: RunningSandbox, denies: Bool = false) throws {
        let person = Programs.root.path + "/scripts/person"
        let visit =
            "for address; do :; done\n"
            + "'\(person)' '\(email)' '\(sandbox.passwords[email]!)' \(denies ? "deny" : "allow") \"$address\""
        try addProgram("xdg-open", visit + " &")
        // The window of the browser stays open until latch-desktop closes it.
        try addProgram("chromium", visit + "\nexec tail -f /dev/null")
    }
}
