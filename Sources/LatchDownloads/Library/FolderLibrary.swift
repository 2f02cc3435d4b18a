import FoundationEssentials
import HTTPClient
import LatchKit
import Primitives

/// A library that is a plain folder of files.
public struct FolderLibrary: DownloadLibrary {
    /// The full path of the folder.
    public let folder: String

    /// Creates a library in a folder, which need not exist yet.
    public init(folder: String) { self.folder = folder }

    /// Returns nil: a plain folder does not tell which task a file belongs to.
    public func existing(_ task: DownloadTask) async throws -> String? { nil }

    /// Returns all of the given tasks.
    public func absent(_ tasks: [DownloadTask]) async throws -> [DownloadTask] { tasks }

    /// Returns the path of the task's name in the folder, with a number before its extension when the name is taken.
    public func destination(of task: DownloadTask, attempt: Int) throws -> String {
        try Self.make(folder)
        return folder + "/" + SafeFileName(task.filename).numbered(attempt)
    }

    /// Creates a folder and its missing parents. Their names are flushed to disk, so that they survive a power loss
    /// like the files in them.
    ///
    /// An error names `chosen`, the folder that the person chose and that contains this one.
    static func make(_ folder: String, in chosen: String? = nil) throws(LatchError) {
        guard !FileManager.default.fileExists(atPath: folder + "/") else { return }
        let missing = missing(folder)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            let why = FolderObstacle.creating(folder)?.sentence ?? "Try again, or choose another folder."
            let named = chosen ?? folder
            let what =
                FileManager.default.fileExists(atPath: named + "/")
                ? "Could not create anything in the folder" : "Could not create the folder"
            throw LatchError(.fileFailed, "\(what) '\(named)': \(why)", cause: error)
        }
        for path in missing { DownloadPart.syncFolder(beside: path) }
    }

    /// Returns those of a folder and its parents that do not exist.
    private static func missing(_ folder: String) -> [String] {
        var (missing, path): ([String], Substring) = ([], folder[...])
        while !path.isEmpty, !FileManager.default.fileExists(atPath: String(path)) {
            missing.append(String(path))
            path = path.split(atLastByte: "/")?.head ?? ""
        }
        return missing
    }

    /// Checks whether files can be created in a folder.
    static func check(_ folder: String) throws(LatchError) {
        guard let obstacle = FolderObstacle.before(folder) else { return }
        throw LatchError(.fileFailed, "Could not save files to the folder '\(folder)': \(obstacle.sentence)")
    }
}
