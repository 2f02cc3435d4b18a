public import Database
import FoundationEssentials
public import HTTPClient
import LatchKit

/// A folder with files in it and nothing more.
public struct FolderLibrary: DownloadLibrary {
    /// The folder.
    public let folder: String

    /// A library in that folder, which need not be there yet.
    public init(folder: String) { self.folder = folder }

    /// None: a folder alone does not tell what a file is.
    public func existing(_ task: DownloadTask) async throws -> String? { nil }

    /// All.
    public func absent(_ tasks: [DownloadTask]) async throws -> [DownloadTask] { tasks }

    /// The task's name, with a number before its ending when that is taken.
    public func destination(of task: DownloadTask, attempt: Int) throws -> String {
        try Self.make(folder)
        return folder + "/" + SafeFileName(task.filename).numbered(attempt)
    }

    /// Lets others read it, as far as the umask does.
    public func dress(_ part: DownloadPart, as task: DownloadTask) { part.share() }
    /// A pair.
    public func join(
        still: DownloadPart, film: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart? { nil }
    /// As the still.
    public func joinedName(_ filename: String) -> String { filename }
    /// Nothing.
    public func note(_ task: DownloadTask, at path: String, in connection: Connection) throws {}

    /// Makes a folder and those above it.
    static func make(_ folder: String) throws(LatchError) {
        guard !FileManager.default.fileExists(atPath: folder + "/") else { return }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            let refusing = refusing(folder)
            throw LatchError(
                .fileFailed,
                refusing == nil
                    ? "Could not make the folder '\(folder)'. Look what stands in its way, or choose another folder."
                    : "Could not make the folder '\(folder)': '\(refusing ?? "")' is not yours to write in. Grant it with "
                        + "'chmod u+w \(refusing ?? "")', or have its owner do so, or choose another folder.",
                cause: error)
        }
    }

    /// The nearest folder above that is there, where it may not be written.
    private static func refusing(_ folder: String) -> String? {
        var above = folder[...]
        while let slash = above.lastIndex(of: "/") {
            above = slash == above.startIndex ? "/" : above[..<slash]
            let path = String(above)
            guard !FileManager.default.fileExists(atPath: path), path != "/" else {
                return FileManager.default.isWritableFile(atPath: path) ? nil : path
            }
        }
        return nil
    }
}
