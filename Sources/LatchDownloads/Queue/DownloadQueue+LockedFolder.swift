import Desktop
import FoundationEssentials
package import LatchKit

/// What happened to the files of a locked folder.
package struct LockedFolderFiles: Sendable {
    /// The number of files.
    package fileprivate(set) var files = 0
    /// The number of files that are here now.
    package fileprivate(set) var done = 0
    /// The number of files that could not be downloaded.
    package fileprivate(set) var failed = 0
    /// Why the last file could not be downloaded, as a sentence. Nil when none failed.
    package fileprivate(set) var failure: String?
    /// The number of files that have ended.
    package var ended: Int { done + failed }
}

extension DownloadQueue {
    /// Downloads the files of a locked folder in this program, and no others, while the folder is unlocked. Those that are
    /// not here at the end are removed from the queue, because a later run has no access to them.
    ///
    /// - Parameters:
    ///   - pages: The files.
    ///   - account: The account of the files.
    ///   - selected: Counts the files, and adds them.
    ///   - onProgress: Called after each file.
    /// - Returns: What happened to the files.
    /// - Throws: `LatchError.Code.storageLocked` when another program is fetching; the errors of ``run(waitsForMore:)``.
    ///
    /// Source: DL-1, IM-15.
    package func fetchLocked<Pages: AsyncSequence & Sendable>(
        _ pages: Pages, of account: Account, _ selected: SelectedFiles,
        onProgress: @escaping @Sendable (LockedFolderFiles) async -> Void
    ) async throws -> LockedFolderFiles where Pages.Element == [DownloadTask] {
        guard try await !isFetchedElsewhere() else {
            throw LatchError(
                .storageLocked, "Other files are being downloaded. Pause them or wait for their end, then try again.")
        }
        try await prepareFolder()
        let events = everyEvent { event in
            switch event {
            case .complete, .error: true
            case .progress, .status, .overall, .pauseReasonChanged: false
            }
        }
        var (selected, ids): (SelectedFiles, [DownloadTask.ID]) = (selected, [])
        let result: Result<LockedFolderFiles, any Error>
        do {
            for try await page in pages { ids += try await selected.add(page, to: self).map(\.id) }
            result = .success(ids.isEmpty ? LockedFolderFiles() : try await fetchLocked(ids, events, onProgress))
        } catch {
            result = .failure(error)
        }
        // Also when the task was cancelled.
        await Task { [ids] in _ = try? await cancel(ids, of: account.id) }.value
        return try result.get()
    }

    private func fetchLocked(
        _ ids: [DownloadTask.ID], _ events: AsyncStream<DownloadEvent>,
        _ onProgress: @escaping @Sendable (LockedFolderFiles) async -> Void
    ) async throws -> LockedFolderFiles {
        let own = Set(ids)
        let counting = Task {
            var files = LockedFolderFiles()
            files.files = own.count
            for await event in events {
                switch event {
                case .complete(let id, _) where own.contains(id): files.done += 1
                case .error(let id, let reason) where own.contains(id):
                    files.failed += 1
                    files.failure = reason
                default: continue
                }
                await onProgress(files)
                if files.ended == files.files { break }
            }
            return files
        }
        do {
            let supervisor = DownloadSupervisor(self, environment: ProcessInfo.processInfo.environment)
            try await supervisor.run { try await run(only: .locked) }
        } catch {
            counting.cancel()
            throw error
        }
        endEvents()
        return await counting.value
    }
}
