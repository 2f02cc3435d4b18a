import CLibrary
import FoundationEssentials

/// A folder of the person for the files of programs.
///
/// Source: XDG Base Directory Specification 0.8: a variable that is unset, empty or relative is ignored.
package enum UserFolder: String, Sendable, CaseIterable {
    /// Files that a program must not lose.
    case data = "XDG_DATA_HOME"
    /// Settings.
    case configuration = "XDG_CONFIG_HOME"
    /// Logs and history.
    case state = "XDG_STATE_HOME"
    /// Files that can be created again.
    case cache = "XDG_CACHE_HOME"

    /// The environment variable that sets the folder.
    package var variable: String { rawValue }

    /// Returns the folder of an environment. Nil when neither ``variable`` nor `HOME` is an absolute path.
    package func path(_ environment: [String: String]) -> String? {
        if let path = Self.absolute(environment[variable]) { return path }
        return Self.absolute(environment["HOME"]).map { $0 + "/" + fallback }
    }

    private var fallback: String {
        switch self {
        case .data: ".local/share"
        case .configuration: ".config"
        case .state: ".local/state"
        case .cache: ".cache"
        }
    }

    /// Returns the folders for sockets, which only this user can read: that of the environment, and that of the system.
    /// A program that the browser starts may not have all environment variables.
    ///
    /// Source: `pam_systemd(8)`, `XDG_RUNTIME_DIR`.
    package static func runtime(_ environment: [String: String]) -> [String] {
        [absolute(environment["XDG_RUNTIME_DIR"]), "/run/user/\(geteuid())"].compactMap { $0 }
    }

    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}

extension UserFolder {
    /// Returns the person's pictures folder: `XDG_PICTURES_DIR` in `user-dirs.dirs`, or `Pictures` in the home folder.
    /// Nil when `HOME` is not an absolute path.
    ///
    /// Source: xdg-user-dirs, `user-dirs.dirs(5)`.
    package static func pictures(_ environment: [String: String]) -> String? {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        let file = configuration.path(environment).map { $0 + "/user-dirs.dirs" }
        let text = file.flatMap { FileManager.default.contents(atPath: $0) }.map { String(decoding: $0, as: UTF8.self) }
        return text.flatMap { pictures(in: $0, home: home) } ?? home + "/Pictures"
    }

    /// Returns the last valid value of `XDG_PICTURES_DIR` in a text, or nil. A value is `"$HOME/…"` or `"/…"`, and a
    /// backslash escapes special characters of the shell.
    static func pictures(in text: String, home: String) -> String? {
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
