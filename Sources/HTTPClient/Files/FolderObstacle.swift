import CProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What keeps this user from putting files in a folder, which need not be there yet.
///
/// Source: access(2), ERRORS; stat(2), ERRORS.
public enum FolderObstacle: Sendable, Equatable {
    /// Something of that path is no folder.
    case file(String)
    /// That folder may not be written, or not be entered.
    case refused(String)
    /// That folder is on a file system that is mounted read-only.
    case readOnly(String)
    /// That symbolic link leads to what does not exist.
    case danglingLink(String, target: String)
    /// The system creates no folder at that path, for the reason with that number.
    case noCreation(String, errno: Int32)

    /// What is in the way of a folder.
    ///
    /// - Parameter folder: Its whole path.
    /// - Returns: The first thing above it or at its place; nil when nothing is in the way.
    public static func before(_ folder: String) -> FolderObstacle? {
        var path = folder[...]
        while true {
            let now = path.isEmpty ? "/" : String(path)
            var status = stat()
            if stat(now, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else { return .file(now) }
                return access(now, W_OK | X_OK) == 0 ? nil : errno == EROFS ? .readOnly(now) : .refused(now)
            }
            if let target = target(of: now) { return .danglingLink(now, target: target) }
            guard now != "/", let slash = path.lastIndex(of: "/") else { return nil }
            path = path[..<slash]
        }
    }

    /// What keeps a folder from being created: what ``before(_:)`` finds, else what the system answers to the attempt.
    ///
    /// Source: mkdir(2), ERRORS.
    public static func creating(_ folder: String) -> FolderObstacle? {
        if let obstacle = before(folder) { return obstacle }
        var (path, missing) = (folder[...], folder[...])
        var status = stat()
        while !path.isEmpty, stat(String(path), &status) != 0 {
            missing = path
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        guard mkdir(String(missing), 0o777) != 0, errno != EEXIST else { return nil }
        return .noCreation(String(missing), errno: errno)
    }

    /// Where a symbolic link leads; nil for what is none.
    private static func target(of path: String) -> String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &text, text.count)
        return count < 0 ? nil : String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// What is in the way, and what to do about it.
    public var sentence: String {
        switch self {
        case .file(let path): "'\(path)' is a file and no folder. Move it away, or choose another folder."
        case .refused(let path):
            "'\(path)' is not yours to write in. Grant it with 'chmod u+wx \(path)', or have its owner do so, or choose "
                + "another folder."
        case .danglingLink(let path, let target):
            "'\(path)' is a symbolic link to '\(target)', which does not exist. Create that folder, remove the link, or choose "
                + "another folder."
        case .noCreation(let path, let number):
            "the system does not create '\(path)': \(String(cString: strerror(number))). Choose another folder."
        case .readOnly(let path):
            "'\(path)' is on a disk that is mounted read-only. Have it mounted to be written, or choose another folder."
        }
    }
}
