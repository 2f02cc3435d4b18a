import LatchDownloads

/// One page of the list of downloads. Only this page is in memory, however long the queue is.
public struct DownloadPage: Equatable, Sendable {
    /// The largest number of rows of a page.
    public static let size = 100

    /// The files of the page, in the order of the queue.
    public let rows: [DownloadRow]
    /// Whether there are files after this page.
    public let hasNext: Bool
    /// Whether there are files before this page.
    public let hasPrevious: Bool

    /// A page without rows.
    static let empty = DownloadPage(rows: [], hasNext: false, hasPrevious: false)
}

/// Where the shown page begins, and how it was reached.
struct DownloadCursor {
    /// The position after which the page begins. The last one is that of the shown page.
    private var starts = [0]
    /// The last position of the shown page.
    private var end = 0

    var start: Int { starts.last ?? 0 }
    var hasPrevious: Bool { starts.count > 1 }

    mutating func shown(_ tasks: [QueuedTask]) { end = tasks.last?.position ?? start }
    mutating func goToNext() { if end > start { starts.append(end) } }
    mutating func goToPrevious() { if hasPrevious { starts.removeLast() } }
}

extension DownloadQueue {
    /// Returns the tasks of a page, and one more if there are any.
    nonisolated func page(_ filter: DownloadFilter, after start: Int) async throws -> [QueuedTask] {
        let size = DownloadPage.size + 1
        guard case .only(let state) = filter else { return try await tasks(after: start, limit: size) }
        var (tasks, next): ([QueuedTask], Int?) = ([], start)
        while let position = next, tasks.count < size {
            try Task.checkCancellation()
            let part = try await self.tasks(in: state.stored, after: position, limit: size - tasks.count)
            tasks += part.tasks
            next = part.next
        }
        return tasks
    }
}

extension DownloadRow.State {
    /// The state as the queue knows it.
    fileprivate var stored: DownloadState {
        switch self {
        case .waiting: .waiting
        case .running: .running
        case .paused: .paused
        case .done: .done
        case .skipped: .skipped("")
        case .failed: .failed("")
        }
    }
}
