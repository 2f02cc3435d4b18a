import FoundationEssentials

/// One scan of folders of the library, which updates the database to match the disk.
///
/// A scan holds the names of one folder in memory at a time. It reads a file only when its size, modification time or
/// inode number changed. A renamed file keeps its id. An interrupted scan keeps its results so far and is repeated.
package struct LibraryScan {
    /// The changes that a scan found.
    package struct Changes: Sendable, Equatable {
        /// The number of new or changed files that were read.
        var read = 0
        /// The number of files that moved to another path.
        var moved = 0
        /// The number of files that no longer exist.
        var removed = 0
        /// The number of files that could not be read or are left out, as ``LibraryFolder/Listing/unreadable`` counts them,
        /// and of folders with too long paths.
        var unreadable = 0
    }

    /// The number of bytes read after which the results so far are written to the database.
    static let batchBytes = 64 << 20

    let folder: LibraryFolder
    let store: AssetStore
    let work: BlockingWork
    let now: @Sendable () -> Date
    private(set) var changes = Changes()
    /// When the names of each folder last changed, in nanoseconds since 1970. Zero for a folder that changed so
    /// recently that another change might have the same time.
    private(set) var times: [String: Int] = [:]
    private var gone: [MovedFile] = []

    init(folder: LibraryFolder, store: AssetStore, work: BlockingWork, now: @escaping @Sendable () -> Date) {
        self.folder = folder
        self.store = store
        self.work = work
        self.now = now
    }

    /// Scans `folders` and all folders below them, except folders that are `known`.
    mutating func walk(_ folders: [String], known: Set<String>) async throws {
        var waiting = folders
        while let path = waiting.popLast() {
            try Task.checkCancellation()
            guard let below = try await scan(into: path) else { continue }
            waiting += below.filter { !known.contains($0) && times[$0] == nil }
        }
    }

    /// Removes the records of files that disappeared from the scanned folders, and of `folders` with everything in
    /// them.
    mutating func finish(without folders: [String]) async throws {
        changes.removed += try await store.remove(gone)
        gone = []
        for folder in folders { changes.removed += try await store.remove(folder: folder) }
    }

    /// Updates the records of one folder. Returns its subfolders, or nil when the folder does not exist.
    private mutating func scan(into path: String) async throws -> [String]? {
        let folder = folder
        let seen = now()
        // Read before the folder is listed: another gateway may add a file that was not there yet.
        let known = path.isEmpty ? [] : try await store.known(in: path)
        guard let listing = try await work.run({ _ in folder.list(path) }) else { return nil }
        changes.unreadable += listing.unreadable
        times[path] = Self.isStable(listing, at: seen) ? listing.modified : 0
        let folders = listing.folders.map { path.isEmpty ? $0 : path + "/" + $0 }
        let below = folders.filter { $0.utf8.count <= LibraryFolder.maximumPathLength }
        changes.unreadable += folders.count - below.count
        // Files outside the people's folders have no owner, so they are ignored.
        guard !path.isEmpty else { return below.filter { $0 != folder.lockedName } }
        let isLocked = folder.isLocked(path)
        try await store.add(folder: path, isLocked: isLocked)
        try await update(path, listing, known, isLocked: isLocked)
        return below
    }

    /// Whether everything in a folder is old enough that a later change gets a different time. File times advance in
    /// steps of some milliseconds. This also means that a file that is being written is read again when it is complete.
    /// A sparse file can be filled without a change of its time.
    private static func isStable(_ listing: LibraryFolder.Listing, at now: Date) -> Bool {
        let limit = Int((now.timeIntervalSince1970 - 2) * 1_000_000_000)
        return !listing.hasSparseFiles && listing.modified < limit
            && listing.files.allSatisfy { $0.mark.modified < limit }
    }

    private mutating func update(
        _ path: String, _ listing: LibraryFolder.Listing, _ known: [KnownFile], isLocked: Bool
    ) async throws {
        let byName = Dictionary(known.map { ($0.name, $0) }) { first, _ in first }
        let names = Set(listing.files.map(\.name))
        let missing = known.filter { !names.contains($0.name) }
        gone += missing.map { MovedFile(id: $0.id, folder: path, name: $0.name) }
        let changed = listing.files.filter { byName[$0.name]?.mark != $0.mark }
        let fresh = try await move(changed, byName, to: path, isLocked: isLocked)
        try await read(fresh, in: path, isLocked: isLocked)
        guard !changed.isEmpty || !missing.isEmpty else { return }
        let there = try await store.known(in: path).filter { names.contains($0.name) }
        try await store.pair(there, isLocked: isLocked)
    }

    /// Changes the paths of files that were renamed. Returns the other files, which must be read.
    private mutating func move(
        _ files: [LibraryFolder.Entry], _ known: [String: KnownFile], to path: String, isLocked: Bool
    ) async throws -> [LibraryFolder.Entry] {
        var rest: [LibraryFolder.Entry] = []
        let folder = folder
        for file in files {
            let candidates = known[file.name] == nil ? try await store.candidates(for: file.mark) : []
            let moved =
                candidates.isEmpty
                ? nil
                : try await work.run { _ in
                    candidates.first { !folder.holds($0.path, inode: file.mark.inode) }
                }
            if let moved {
                try await store.move(moved, toFolder: path, name: file.name, isLocked: isLocked)
                changes.moved += 1
            } else {
                rest.append(file)
            }
        }
        return rest
    }

    private mutating func read(_ files: [LibraryFolder.Entry], in path: String, isLocked: Bool) async throws {
        var rest = files[...]
        let folder = folder
        while !rest.isEmpty {
            var bytes = 0
            let part = rest.prefix(AssetStore.batch).prefix { file in
                defer { bytes += file.mark.size }
                return bytes < Self.batchBytes
            }
            rest = rest.dropFirst(part.count)
            let described = try await work.run { isStopped in
                part.map { ($0.name, folder.describe(path + "/" + $0.name, isStopped: isStopped)) }
            }
            let found = described.compactMap { name, file in file.map { (name: name, file: $0) } }
            try await store.store(found, in: path, isLocked: isLocked)
            changes.read += found.count
            changes.unreadable += described.count - found.count
        }
    }
}
