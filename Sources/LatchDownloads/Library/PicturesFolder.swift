import Desktop
import FoundationEssentials

/// The person's pictures folder and its access. On this system, write access to the folder takes the place of a media
/// permission.
///
/// Source: IM-6.
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

    /// Returns the pictures folder of an environment and its current access.
    package static func current(environment: [String: String]) -> Self {
        guard let path = UserFolder.pictures(environment) else { return Self(path: nil, access: .missing) }
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
}
