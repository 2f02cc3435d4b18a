package import Foundation

/// The folders of one person, which are removed at the end: home, settings, accounts and the key of the sealed file.
package final class PersonFolders: Sendable {
    /// The folder that contains all others.
    package let root: URL

    /// Makes the folders.
    package init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "latch-desktop-\(UUID())")
        try FileManager.default.createDirectory(
            at: root.appending(path: "config/gtk-4.0"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // Without animations every state is the last one.
        try Data("[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\n".utf8)
            .write(to: root.appending(path: "config/gtk-4.0/settings.ini"))
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        _ = FileManager.default.createFile(
            atPath: root.appending(path: "key").path, contents: key, attributes: [.posixPermissions: 0o600])
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// The environment that makes a program use these folders.
    package var environment: [String: String] {
        [
            "HOME": root.path, "XDG_DATA_HOME": root.path + "/data", "XDG_STATE_HOME": root.path + "/state",
            "XDG_CONFIG_HOME": root.path + "/config", "XDG_CACHE_HOME": root.path + "/cache", "LATCH_SECRETS": "file",
            "LATCH_SECRETS_KEY": root.path + "/key",
        ]
    }
}
