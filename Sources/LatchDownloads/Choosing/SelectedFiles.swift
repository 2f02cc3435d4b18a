public import LatchKit

/// The files of a selection as they are found, a page at a time: counts them, and adds the missing ones to a queue.
///
/// Source: DL-1, DL-9.
public struct SelectedFiles: Sendable {
    /// The number of files that were found.
    public private(set) var found = 0
    /// The number of files that do not exist here.
    public private(set) var missing = 0
    /// The bytes of those missing files whose size is known.
    public private(set) var missingBytes = 0
    /// The number of missing files whose size is not known.
    public private(set) var missingOfUnknownSize = 0
    /// The files that exist here and were selected by their addresses.
    public private(set) var filesHere: [DownloadTask] = []
    /// Those of ``filesHere`` that have changed on the server, see ``checkChanges(_:)``.
    public private(set) var changed: [DownloadTask] = []

    private let library: PictureLibrary
    private let fetchesExisting: Bool
    /// Nil when no picture can be found twice.
    private var distinct: DistinctTasks?

    /// Creates the count of a selection.
    ///
    /// - Parameters:
    ///   - selection: The selection whose files are passed.
    ///   - library: Where the files are put.
    ///   - fetchesExisting: Whether files that exist here are fetched again. Only for files of paths. Default: false.
    public init(of selection: DownloadSelection, in library: PictureLibrary, fetchesExisting: Bool = false) {
        self.library = library
        self.fetchesExisting = fetchesExisting
        distinct = selection.mayContainDuplicates ? DistinctTasks() : nil
    }

    /// Counts a page of the selection.
    ///
    /// - Returns: Those of the files that must be fetched.
    /// - Throws: A `LatchError` with a `storage` code; `LatchError.Code.invalidRequest` for a picture that would have to
    ///   be fetched again.
    public mutating func count(_ page: [DownloadTask]) async throws -> [DownloadTask] {
        let tasks = distinct?.insertNew(page) ?? page
        let absent = fetchesExisting ? try tasks.map(Self.again) : try await library.absent(tasks)
        found += tasks.count
        missing += absent.count
        for task in absent {
            if let size = task.metadata.size {
                // A server may state any size.
                missingBytes = missingBytes.addingReportingOverflow(size).overflow ? .max : missingBytes + size
            } else {
                missingOfUnknownSize += 1
            }
        }
        if absent.count < tasks.count, tasks.contains(where: { $0.group == .file }) {
            let ids = Set(absent.map(\.id))
            filesHere += tasks.filter { $0.group == .file && !ids.contains($0.id) }
        }
        return absent
    }

    /// Counts a page of the selection, and adds the missing files to a queue with the same library.
    ///
    /// - Returns: The files that were added.
    /// - Throws: The errors of ``count(_:)`` and ``DownloadQueue/add(_:goingTo:)``.
    @discardableResult
    public mutating func add(_ page: [DownloadTask], to queue: DownloadQueue) async throws -> [DownloadTask] {
        try await add(page, to: queue, from: nil)
    }

    /// Does the same for a library that is followed. Nothing is added after another program has stopped following it.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - queue: The queue.
    ///   - followed: The library whose pictures the page lists. Nil for a selection of a person.
    /// - Returns: The files that were added.
    /// - Throws: The errors of ``add(_:to:)``; ``LatchError/Code/cancelled`` when the library is no longer followed.
    @discardableResult
    package mutating func add(
        _ page: [DownloadTask], to queue: DownloadQueue, from followed: FollowedLibrary?
    ) async throws -> [DownloadTask] {
        let missing = try await count(page)
        _ = try await queue.add(missing, goingTo: library.location, from: followed)
        return missing
    }

    /// Checks which of the files that exist here have changed on the server.
    ///
    /// - Throws: The errors of ``ChangeCheck/changed(among:)``.
    public mutating func checkChanges(_ latch: LatchClient) async throws {
        guard !filesHere.isEmpty else { return }
        changed = try await ChangeCheck(latch, library).changed(among: filesHere)
    }

    private static func again(_ task: DownloadTask) throws(LatchError) -> DownloadTask {
        guard task.group == .file else {
            throw LatchError(
                .invalidRequest,
                "Only files of URLs can be downloaded again: a picture is downloaded again when it changes on the server."
            )
        }
        var task = task
        task.metadata.fetchesExisting = true
        return task
    }
}
