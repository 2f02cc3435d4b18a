/// A program that the desktop starts when the user signs in.
///
/// Source: Desktop Application Autostart Specification 0.5; Desktop Entry Specification 1.5.
package struct LoginEntry: Sendable {
    /// The path of the entry. Nil when the user has no home folder.
    package let path: String?

    /// Describes an entry, which need not exist.
    ///
    /// - Parameters:
    ///   - name: The file name, without its extension.
    ///   - environment: The variables that locate the user's configuration: `XDG_CONFIG_HOME` and `HOME`.
    package init(_ name: String, environment: [String: String]) {
        let folder = UserFolder.configuration.path(environment)
        path = folder.map { $0 + "/autostart/\(name).desktop" }
    }

    /// Writes the entry atomically.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments. They must not contain secrets.
    ///   - title: The name in the desktop's list of autostart programs.
    /// - Throws: ``DesktopError/Code/cannotWrite``.
    package func write(_ words: [String], title: String) throws(DesktopError) {
        guard let path else {
            throw DesktopError(.cannotWrite, "Could not find the autostart folder: HOME is not set.")
        }
        let text = """
            [Desktop Entry]
            Type=Application
            Name=\(title)
            Exec=\(words.map(DesktopEntry.quoted).joined(separator: " "))
            Terminal=false
            NoDisplay=true

            """
        try ReplacedFile(path).write(text)
    }

    /// Removes the entry, if it exists.
    package func remove() {
        if let path { ReplacedFile(path).remove() }
    }
}
