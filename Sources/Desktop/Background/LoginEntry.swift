import FoundationEssentials

/// A program that the desktop starts when the person signs in to it.
///
/// Source: Desktop Application Autostart Specification 0.5; Desktop Entry Specification 1.5.
public struct LoginEntry: Sendable {
    /// The entry's file; nil where the person has no home.
    public let path: String?

    /// Names an entry, which may be there or not.
    ///
    /// - Parameters:
    ///   - name: The file's name, without its ending.
    ///   - environment: Where the person's configuration is.
    public init(_ name: String, environment: [String: String]) {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        path = folder.map { $0 + "/autostart/\(name).desktop" }
    }

    /// Writes it, whole or not at all.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments; never a secret.
    ///   - title: What it is called on lists of what is started.
    /// - Throws: ``DesktopError/Code/cannotWrite``.
    public func write(_ words: [String], title: String) throws(DesktopError) {
        guard let path else {
            throw DesktopError(.cannotWrite, "There is no folder for what is started at sign-in, for HOME is not set.")
        }
        let text = """
            [Desktop Entry]
            Type=Application
            Name=\(title)
            Exec=\(words.map(DesktopEntry.quoted).joined(separator: " "))
            Terminal=false
            NoDisplay=true

            """
        do {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw DesktopError(.cannotWrite, "Could not write '\(path)'. Check that its folder is yours.")
        }
    }

    /// Removes it, if it is there.
    public func remove() {
        if let path { try? FileManager.default.removeItem(atPath: path) }
    }
}
