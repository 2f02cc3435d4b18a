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

    /// Nothing.
    public func writeMetadata(_ part: DownloadPart, as task: DownloadTask) {}
    /// A pair.
    public func join(
        still: DownloadPart, film: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart? { nil }
    /// As the still.
    public func joinedName(_ filename: String) -> String { filename }
    /// Nothing.
    public func note(_ task: DownloadTask, at path: String, in connection: Connection) throws {}

    /// Makes a folder and those above it, with names that survive a loss of power as the files in it do.
    ///
    /// A failure names the folder that the person chose, in which this one is.
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
        for path in missing { DownloadPart.keepNames(beside: path) }
    }

    /// A folder and those above it, as far as they are not there.
    private static func missing(_ folder: String) -> [String] {
        var (missing, path): ([String], Substring) = ([], folder[...])
        while !path.isEmpty, !FileManager.default.fileExists(atPath: String(path)) {
            missing.append(String(path))
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return missing
    }

    /// Looks whether files can be put into a folder.
    static func check(_ folder: String) throws(LatchError) {
        guard let obstacle = FolderObstacle.before(folder) else { return }
        throw LatchError(.fileFailed, "Could not put files into the folder '\(folder)': \(obstacle.sentence)")
    }
}
