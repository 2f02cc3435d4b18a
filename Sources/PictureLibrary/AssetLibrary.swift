package import Database
package import FoundationEssentials
package import GatewayCore
package import HTTPServer
import Primitives
import Synchronization

/// The picture library: a folder of the server that contains a folder for each person.
///
/// The database stores everything that clients ask about a file, so a request reads only the file that it downloads.
/// ``run(clock:)`` keeps the database up to date, outside the event loops.
package final class AssetLibrary: Sendable {
    /// The interval at which folders are checked for changed names.
    package static let interval = Duration.seconds(2)
    /// The interval at which every file is checked for changes.
    static let thoroughInterval = Duration.seconds(3_600)

    package let folder: LibraryFolder
    package let store: AssetStore
    /// Blocking work of requests.
    package let work = BlockingWork(running: 4, waiting: 128)
    /// The archives that are being sent.
    let archives = ResponsePlaces(AssetLibrary.maximumArchives)
    /// The lists of archives that are being sent. Each reads the database until its client has taken all of it.
    package let plans = ResponsePlaces(AssetLibrary.maximumPlans)
    /// The months of timelines that are being sent.
    package let months = ResponsePlaces(AssetLibrary.maximumMonths)
    /// Blocking work of the scan, separate so that requests do not wait for it.
    private let scanning = BlockingWork(running: 2, waiting: 128)
    private let log: Log
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    private struct State {
        /// When the names of each folder last changed, in nanoseconds since 1970.
        package var times: [String: Int] = [:]
        /// The number of unreadable files that was logged last.
        var unreadable = 0
        /// Folders with a file that differs from the database.
        package var stale: Set<String> = []
    }

    /// Makes a library on a folder, without reading the folder.
    package init(path: String, database: Database, log: Log, now: @escaping @Sendable () -> Date) {
        folder = LibraryFolder(path: path, lockedName: ".locked")
        store = AssetStore(database: database, now: now)
        self.log = log
        self.now = now
    }

    /// Scans everything, then looks for changes repeatedly until the task is cancelled.
    package func run(clock: some Clock<Duration>) async {
        while !Task.isCancelled {
            await attempt { try await self.scan() }
            for _ in 0..<Int(Self.thoroughInterval / Self.interval) {
                do { try await clock.sleep(for: Self.interval) } catch { return }
                await attempt { try await self.scanChanges() }
            }
        }
    }

    /// Checks every file for changes and updates the database.
    @discardableResult
    package func scan() async throws -> LibraryScan.Changes { try await scan {} }

    /// Checks every file, and calls `beforeRemoval` before the records of missing files are removed.
    @discardableResult
    func scan(beforeRemoval: () async throws -> Void) async throws -> LibraryScan.Changes {
        var scan = LibraryScan(folder: folder, store: store, work: scanning, now: now)
        // Read before the folders are listed: another gateway may add a folder that was not there yet.
        let known = try await store.folders()
        try await scan.walk([""], known: [])
        try await beforeRemoval()
        guard scan.times[""] != nil, scan.times.count > 1 || known.isEmpty else {
            // The disk is probably not mounted. The records are kept, because they are needed when it is mounted again.
            log.warning(
                "The picture library is empty or unreadable; its records are kept.",
                ["folder": .text(folder.path)])
            return LibraryScan.Changes()
        }
        let times = scan.times
        try await scan.finish(without: known.filter { times[$0] == nil })
        state.withLock {
            $0.times = times
            $0.stale = []
        }
        report(scan.changes)
        return scan.changes
    }

    /// Checks the folders for changed names and scans those that changed.
    @discardableResult
    package func scanChanges() async throws -> LibraryScan.Changes {
        let (times, stale) = state.withLock { state in
            defer { state.stale = [] }
            return (state.times, state.stale)
        }
        let folder = folder
        let found = try await scanning.run { _ in times.keys.map { ($0, folder.modified($0)) } }
        // Without its root, the library is unavailable at the moment.
        guard found.contains(where: { $0.0.isEmpty && $0.1 != nil }) else { return LibraryScan.Changes() }
        let changed = found.filter { path, time in time != nil && (time != times[path] || stale.contains(path)) }
        let missing = found.filter { $0.1 == nil }.map(\.0)
        guard !changed.isEmpty || !missing.isEmpty else { return LibraryScan.Changes() }
        guard found.count > missing.count + 1 || !missing.contains(where: { !$0.utf8.contains(UInt8(ascii: "/")) })
        else {
            return LibraryScan.Changes()
        }
        var scan = LibraryScan(folder: folder, store: store, work: scanning, now: now)
        try await scan.walk(changed.map(\.0), known: Set(times.keys))
        try await scan.finish(without: missing)
        state.withLock { [walked = scan.times] in
            $0.times.merge(walked) { _, new in new }
            for path in missing where walked[path] == nil { $0.times[path] = nil }
        }
        report(scan.changes)
        return scan.changes
    }

    /// Opens the file of an asset. Returns nil when the file no longer exists.
    ///
    /// No link can lead out of the owner's folder, even if it was created after the last scan.
    package func open(_ asset: Asset) -> ServedFile? {
        let parts = asset.path.split(atByte: "/", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        guard let file = try? ServedFile.open(String(parts[1]), beneath: folder.path + "/" + parts[0]) else {
            markStale(asset)
            return nil
        }
        if file.size != asset.file.size || file.modified != .nanoseconds(asset.file.modified) { markStale(asset) }
        return file
    }

    /// Returns the small picture that a camera put into a photograph, as a JPEG file of at most 64 KiB. Nil when there is
    /// none or the file no longer exists.
    ///
    /// Nothing is decoded: the gateway runs no image decoder on files that may be hostile.
    ///
    /// - Parameter asset: The photograph. Only JPEG files are read.
    /// - Returns: The file.
    /// - Throws: ``GatewayError/Code/busy`` when too many reads are waiting; `CancellationError`.
    package func thumbnail(of asset: Asset) async throws -> [UInt8]? {
        guard asset.mediaType == "image/jpeg", let file = open(asset) else { return nil }
        return try await work.run { _ in
            JPEGFile.thumbnail(
                MediaBytes(count: file.size) { LibraryFolder.read(file.file.descriptor, at: $0, count: $1) })
        }
    }

    /// Marks the folder of a file that differs from the database, so that the next ``scanChanges()`` reads the folder again.
    func markStale(_ asset: Asset) {
        state.withLock { _ = $0.stale.insert(asset.folder) }
    }

    private func report(_ changes: LibraryScan.Changes) {
        // A folder with a sparse file is read each time, which is logged once.
        let isNew = state.withLock { state in
            defer { state.unreadable = changes.unreadable }
            return state.unreadable != changes.unreadable
        }
        guard changes != LibraryScan.Changes(), isNew || changes.read + changes.moved + changes.removed > 0 else {
            return
        }
        log.info(
            "The picture library was read.",
            [
                "read": .number(changes.read), "moved": .number(changes.moved), "removed": .number(changes.removed),
                "unreadable": .number(changes.unreadable),
            ])
    }

    private func attempt(_ step: () async throws -> LibraryScan.Changes) async {
        do {
            _ = try await step()
        } catch is CancellationError {
            return
        } catch let error as DatabaseError {
            log.warning("Could not read the whole picture library; trying again.", ["error": .text(error.message)])
        } catch {
            log.warning("Could not read the whole picture library; trying again.")
        }
    }
}
