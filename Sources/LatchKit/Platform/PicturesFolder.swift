import FoundationEssentials

/// The person's folder of pictures, and whether pictures can be put there: on this system, the permission for media.
///
/// Source: IM-6; xdg-user-dirs, `user-dirs.dirs(5)`.
public struct PicturesFolder: Sendable, Hashable {
    /// Whether pictures can be put there.
    public enum Access: String, Sendable {
        /// They can.
        case writable
        /// There is no such folder yet; a download makes it.
        case missing
        /// It, or what it would be made in, is not this person's to write in.
        case refused
    }

    /// The whole path; nil where nobody can say.
    public var path: String?
    /// Whether pictures can be put there.
    public var access: Access

    /// Makes one.
    public init(path: String?, access: Access) {
        self.path = path
        self.access = access
    }

    /// The folder that an environment asks for, as it is now: `XDG_PICTURES_DIR` of `user-dirs.dirs`, else `Pictures` at home.
    public static func current(environment: [String: String]) -> Self {
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

    /// Whether the nearest folder above that is there may be written in.
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

    /// The value of `XDG_PICTURES_DIR`, of the last line that has a good one: `"$HOME/…"` or `"/…"`, a backslash before what
    /// a shell would read otherwise.
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

    /// What stands before the closing quote; nil without one.
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
