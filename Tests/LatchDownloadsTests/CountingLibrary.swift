import Database
import HTTPClient
import LatchDownloads
import Synchronization

/// A library that counts how often it is asked for those of some tasks whose files are not there.
final class CountingLibrary: IndexedLibrary {
    private let inner: PictureLibrary
    private let count = Mutex(0)

    init(inner: PictureLibrary) { self.inner = inner }

    var asked: Int { count.withLock { $0 } }
    var folder: String { inner.folder }

    func absent(_ tasks: [DownloadTask]) async throws -> [DownloadTask] {
        if !tasks.isEmpty { count.withLock { $0 += 1 } }
        return try await inner.absent(tasks)
    }

    func existing(_ task: DownloadTask) async throws -> String? { try await inner.existing(task) }

    func destination(of task: DownloadTask, attempt: Int) throws -> String {
        try inner.destination(of: task, attempt: attempt)
    }

    func writeMetadata(_ part: DownloadPart, as task: DownloadTask) { inner.writeMetadata(part, as: task) }

    func join(
        still: DownloadPart, video: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart? { nil }

    func joinedName(_ filename: String) -> String { inner.joinedName(filename) }

    func record(_ task: DownloadTask, at path: String, in connection: Connection) throws {
        try inner.record(task, at: path, in: connection)
    }
}
