import FoundationEssentials
import LatchKit

/// The person's pictures folder and its access. On this system, write access to the folder takes the place of a media
/// permission.
///
/// Source: IM-6; xdg-user-dirs, `user-dirs.dirs(5)`.
package struct PicturesFolder: Sendable, Hashable {
    /// Whether pictures can be stored in the folder.
    package enum Access: String, Sendable {
        /// The folder exists and is writable.
        case writable
        /// The folder does not exist yet. A download creates it.
        case missing
        /// The person may not write to the folder, or may not create it.
        case refused
    }

    /// The absolute path. Nil when it is unknown, because `HOME` is not an absolute path.
    package var path: String?
    /// Whether pictures can be stored in the folder.
    package var access: Access

    /// Creates a value.
    package init(path: String?, access: Access) {
        self.path = path
        self.access = access
    }

    /// Returns the pictures folder of an environment and its current access: `XDG_PICTURES_DIR` in `user-dirs.dirs`, or
    /// `Pictures` in the home folder.
    package static func current(environment: [String: String]) -> Self {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return Self(path: nil, access: .missing) }
        let file = (try? Folders.base("XDG_CONFIG_HOME", below: ".config", environment)).map { $0 + "/user-dirs.dirs" }
        let text = file.flatMap { FileManager.default.contents(atPath: $0) }.map { String(decoding: $0, as: UTF8.self) }
        let path = text.flatMap { Self.path(in: $0, home: home) } ?? home + "/Pictures"
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
            return Self(path: path, access: canBeMade(path) ? .missing : .refused)
        }
        return Self(path: path, access: FileManager.default.isWritableFile(atPath: path) ? .writable : .refused)
    }

    /// Whether the nearest existing parent folder is writable.
    private static func canBeMade(_ path: String) -> Bool {
        var above = path[...]
        while let slash = above.lastIndex(of: "/"), slash != above.startIndex {
            above = above[..<slash]
            if FileManager.default.fileExists(atPath: String(above)) { break }
        }
        var isFolder = false
        let isThere = FileManager.default.fileExists(atPath: String(above), isDirectory: &isFolder)
        return isThere && isFolder && FileManager.default.isWritableFile(atPath: String(above))
    }

    /// Returns the last valid value of `XDG_PICTURES_DIR` in a text, or nil. A value is `"$HOME/…"` or `"/…"`, and a
    /// backslash escapes special characters of the shell.
    static func path(in text: String, home: String) -> String? {
        var found: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard line.hasPrefix("XDG_PICTURES_DIR=\"") else { continue }
            guard let value = quoted(line.dropFirst("XDG_PICTURES_DIR=\"".count)) else { continue }
            if value.hasPrefix("/") { found = value }
            if value == "$HOME" || value.hasPrefix("$HOME/") { found = home + value.dropFirst("$HOME".count) }
        }
        return found.map { path in
            let parts = path.split(separator: "/")
            return "/" + parts.joined(separator: "/")
        }
    }

    /// Returns the text before the closing quote, without escapes. Nil when there is no closing quote.
    private static func quoted(_ text: Substring) -> String? {
        var value = ""
        var isEscaped = false
        for character in text {
            if !isEscaped, character == "\"" { return value }
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            isEscaped = false
            value.append(character)
        }
        return nil
    }
}
