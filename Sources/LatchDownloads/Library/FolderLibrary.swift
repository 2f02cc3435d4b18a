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

    /// The task's name, with a number before its ending when that is taken.
    public func destination(of task: DownloadTask, attempt: Int) throws -> String {
        try Self.make(folder)
        return folder + "/" + SafeFileName(task.filename).numbered(attempt)
    }

    /// Nothing.
    public func dress(_ part: DownloadPart, as task: DownloadTask) {}
    /// A pair.
    public func join(
        still: DownloadPart, film: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart? { nil }
    /// Nothing.
    public func note(_ task: DownloadTask, at path: String, in connection: Connection) throws {}

    /// Makes a folder and those above it.
    static func make(_ folder: String) throws(LatchError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw LatchError(
                .fileFailed,
                "Could not make the folder '\(folder)'. Let this user write to the folder above it, or choose another.",
                cause: error)
        }
    }
}
