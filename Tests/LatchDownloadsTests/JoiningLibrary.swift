import Database
import Foundation
import HTTPClient
import LatchDownloads

/// A folder in which a live photo is one file: the still with the film behind it.
struct JoiningLibrary: IndexedLibrary {
    let inner: FolderLibrary

    var folder: String { inner.folder }

    func absent(_ tasks: [DownloadTask]) async throws -> [DownloadTask] { tasks }

    func existing(_ task: DownloadTask) async throws -> String? { try await inner.existing(task) }

    func destination(of task: DownloadTask, attempt: Int) throws -> String {
        try inner.destination(of: task, attempt: attempt)
    }

    func writeMetadata(_ part: DownloadPart, as task: DownloadTask) {}

    func joinedName(_ filename: String) -> String { filename }

    func join(
        still: DownloadPart, video: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart? {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: still.path))
        bytes += try Data(contentsOf: URL(fileURLWithPath: video.path))
        try bytes.write(to: URL(fileURLWithPath: path))
        return try DownloadPart(path: path)
    }

    func record(_ task: DownloadTask, at path: String, in connection: Connection) throws {}
}
