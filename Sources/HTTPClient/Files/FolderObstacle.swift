import CLibrary
import CProcess
import Primitives

/// A reason why this user cannot put files in a folder, which need not exist yet.
///
/// Source: access(2), ERRORS; stat(2), ERRORS.
package enum FolderObstacle: Sendable, Equatable {
    /// The path exists but is not a folder.
    case file(String)
    /// The folder may not be written or entered.
    case refused(String)
    /// The folder is on a file system that is mounted read-only.
    case readOnly(String)
    /// The symbolic link leads to a path that does not exist.
    case danglingLink(String, target: String)
    /// The system refuses to create a folder at the path, with the given error number.
    case noCreation(String, errno: Int32)

    /// Returns the first obstacle at the path of a folder or above it, without creating the folder.
    ///
    /// - Parameter folder: The absolute path of the folder.
    /// - Returns: The obstacle, or nil when there is none.
    package static func before(_ folder: String) -> FolderObstacle? {
        var path = folder[...]
        while true {
            let now = path.isEmpty ? "/" : String(path)
            var status = stat()
            if stat(now, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else { return .file(now) }
                return access(now, W_OK | X_OK) == 0 ? nil : errno == EROFS ? .readOnly(now) : .refused(now)
            }
            if let target = target(of: now) { return .danglingLink(now, target: target) }
            guard now != "/", let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
            path = path[..<slash]
        }
    }

    /// Returns the obstacle that ``before(_:)`` finds, or otherwise the error of an attempt to create the folder.
    ///
    /// Source: mkdir(2), ERRORS.
    package static func creating(_ folder: String) -> FolderObstacle? {
        if let obstacle = before(folder) { return obstacle }
        var (path, missing) = (folder[...], folder[...])
        var status = stat()
        while !path.isEmpty, stat(String(path), &status) != 0 {
            missing = path
            path = path.split(atLastByte: "/")?.head ?? ""
        }
        guard mkdir(String(missing), 0o777) != 0, errno != EEXIST else { return nil }
        return .noCreation(String(missing), errno: errno)
    }

    /// Returns the target of a symbolic link, or nil for any other file.
    private static func target(of path: String) -> String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &text, text.count)
        return count < 0 ? nil : String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The obstacle and its remedy, for people.
    package var sentence: String {
        switch self {
        case .file(let path): "'\(path)' is a file, not a folder. Move it away, or choose another folder."
        case .refused(let path):
            "you have no write permission in '\(path)'. Run 'chmod u+wx \(path)', ask its owner to do so, or choose "
                + "another folder."
        case .danglingLink(let path, let target):
            "'\(path)' is a symbolic link to '\(target)', which does not exist. Create that folder, remove the link, or choose "
                + "another folder."
        case .noCreation(let path, let number):
            "the system could not create '\(path)': \(String(cString: strerror(number))). Choose another folder."
        case .readOnly(let path):
            "'\(path)' is on a disk that is mounted read-only. Mount it for writing, or choose another folder."
        }
    }
}
