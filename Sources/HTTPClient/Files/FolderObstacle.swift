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
            guard now != "/", let slash = path.lastIndex(of: "/") else { return nil }
            path = path[..<slash]
        }
    }

    /// What is in the way, and what to do about it.
    public var sentence: String {
        switch self {
        case .file(let path): "'\(path)' is a file and no folder. Move it away, or choose another folder."
        case .refused(let path):
            "'\(path)' is not yours to write in. Grant it with 'chmod u+wx \(path)', or have its owner do so, or choose "
                + "another folder."
        case .readOnly(let path):
            "'\(path)' is on a disk that is mounted read-only. Have it mounted to be written, or choose another folder."
        }
    }
}
