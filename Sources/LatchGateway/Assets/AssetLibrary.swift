import Database
import FoundationEssentials
import HTTPServer
import Synchronization

/// The picture library: a folder of the server with a folder for each person in it.
///
/// The database knows of every file what a client asks for, so that a request reads no file but the one it fetches.
/// ``run(clock:)`` keeps that knowledge up to date, beside the loops.
final class AssetLibrary: Sendable {
    /// How often the folders are asked whether names in them changed.
    static let interval = Duration.seconds(2)
    /// How often every file is asked whether it changed.
    static let thoroughInterval = Duration.seconds(3_600)

    let folder: LibraryFolder
    let store: AssetStore
    /// What requests have to wait for.
    let work = BlockingWork(running: 4, waiting: 128)
    /// What the scan has to wait for, and no request.
    private let scanning = BlockingWork(running: 2, waiting: 128)
    private let log: Log
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    private struct State {
        /// When the names of each folder last changed.
        var times: [String: Int] = [:]
        /// Folders with a file that is not as the database has it.
        var stale: Set<String> = []
    }

    /// Makes a library on a folder, which is not looked at yet.
    init(path: String, _ stores: GatewayStores) {
        folder = LibraryFolder(path: path, lockedName: ".locked")
        store = AssetStore(database: stores.database, now: stores.now)
        log = stores.log
        now = stores.now
    }

    /// Looks at everything, then again and again at what changed, until the task is cancelled.
    func run(clock: some Clock<Duration>) async {
        while !Task.isCancelled {
            await attempt { try await self.scan() }
            for _ in 0..<Int(Self.thoroughInterval / Self.interval) {
                do { try await clock.sleep(for: Self.interval) } catch { return }
                await attempt { try await self.look() }
            }
        }
    }

    /// Asks every file whether it changed.
    @discardableResult
    func scan() async throws -> LibraryScan.Changes {
        var scan = LibraryScan(folder: folder, store: store, work: scanning, now: now)
        try await scan.walk([""], known: [])
        let known = try await store.folders()
        guard scan.times[""] != nil, scan.times.count > 1 || known.isEmpty else {
            // A disk that is not mounted: what is known of it is wanted again.
            log.warning(
                "The picture library is empty or cannot be read; what is known of it is kept.",
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

    /// Asks the folders whether names in them changed, and looks into those that did.
    @discardableResult
    func look() async throws -> LibraryScan.Changes {
        let (times, stale) = state.withLock { state in
            defer { state.stale = [] }
            return (state.times, state.stale)
        }
        let folder = folder
        let found = try await scanning.run { _ in times.keys.map { ($0, folder.modified($0)) } }
        // Without its root the library is not there at all for now.
        guard found.contains(where: { $0.0.isEmpty && $0.1 != nil }) else { return LibraryScan.Changes() }
        let changed = found.filter { path, time in time != nil && (time != times[path] || stale.contains(path)) }
        let missing = found.filter { $0.1 == nil }.map(\.0)
        guard !changed.isEmpty || !missing.isEmpty else { return LibraryScan.Changes() }
        guard found.count > missing.count + 1 || !missing.contains(where: { !$0.contains("/") }) else {
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

    /// Opens the file of an asset; nil when it is not there any more.
    ///
    /// No link leads out of its owner's folder, even one that was put there since the last look.
    func open(_ asset: Asset) -> ServedFile? {
        let parts = asset.path.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        guard let file = try? ServedFile.open(String(parts[1]), beneath: folder.path + "/" + parts[0]) else {
            noteStale(asset)
            return nil
        }
        if file.size != asset.file.size || file.modified != .nanoseconds(asset.file.modified) { noteStale(asset) }
        return file
    }

    /// Has the next look read the file's folder again: the file is not as the database has it.
    func noteStale(_ asset: Asset) {
        state.withLock { _ = $0.stale.insert(asset.folder) }
    }

    private func report(_ changes: LibraryScan.Changes) {
        guard changes != LibraryScan.Changes() else { return }
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
            log.warning("The picture library was not read to its end; trying again.", ["error": .text(error.message)])
        } catch {
            log.warning("The picture library was not read to its end; trying again.")
        }
    }
}
