import FoundationEssentials

/// One walk through folders of the library, bringing the database to what the disk holds.
///
/// It has one folder's names in memory at a time, reads a file only when its size, time or number changed, and gives a
/// renamed file the id that it had. A walk that is cut short leaves what it has done and is done again.
struct LibraryScan {
    /// What a walk found.
    struct Changes: Sendable, Equatable {
        /// Files that were read, being new or changed.
        var read = 0
        /// Files that have another path now.
        var moved = 0
        /// Files that are gone.
        var removed = 0
        /// Files that could not be read, or whose names are no UTF-8.
        var unreadable = 0
    }

    /// Bytes that are read between two writes.
    static let batchBytes = 64 << 20

    let folder: LibraryFolder
    let store: AssetStore
    let work: BlockingWork
    let now: @Sendable () -> Date
    private(set) var changes = Changes()
    /// When the names of each folder last changed; 0 for one that changed so lately that it may do so again unseen.
    private(set) var times: [String: Int] = [:]
    private var gone: [MovedFile] = []

    init(folder: LibraryFolder, store: AssetStore, work: BlockingWork, now: @escaping @Sendable () -> Date) {
        self.folder = folder
        self.store = store
        self.work = work
        self.now = now
    }

    /// Walks through `folders` and all that is below them, except folders that are `known`.
    mutating func walk(_ folders: [String], known: Set<String>) async throws {
        var waiting = folders
        while let path = waiting.popLast() {
            try Task.checkCancellation()
            guard let below = try await look(into: path) else { continue }
            waiting += below.filter { !known.contains($0) && times[$0] == nil }
        }
    }

    /// Forgets the files that are gone from the folders that were walked through, and these folders with all in them.
    mutating func finish(without folders: [String]) async throws {
        changes.removed += try await store.remove(gone)
        gone = []
        for folder in folders { changes.removed += try await store.remove(folder: folder) }
    }

    /// Brings one folder up to date; gives the folders in it, or nil when it is not there.
    private mutating func look(into path: String) async throws -> [String]? {
        let folder = folder
        let seen = now()
        guard let listing = try await work.run({ _ in folder.list(path) }) else { return nil }
        changes.unreadable += listing.unreadableNames
        times[path] = Self.settled(listing, at: seen) ? listing.modified : 0
        let below = listing.folders.map { path.isEmpty ? $0 : path + "/" + $0 }
        // A file beside the people's folders is nobody's.
        guard !path.isEmpty else { return below.filter { $0 != folder.lockedName } }
        let isLocked = folder.isLocked(path)
        try await store.add(folder: path, isLocked: isLocked)
        try await update(path, listing, isLocked: isLocked)
        return below
    }

    /// Whether all in a folder is so old that a later change has another time: clocks of files step by some milliseconds,
    /// and a file that is being written is read again when it is whole.
    private static func settled(_ listing: LibraryFolder.Listing, at now: Date) -> Bool {
        let limit = Int((now.timeIntervalSince1970 - 2) * 1_000_000_000)
        return listing.modified < limit && listing.files.allSatisfy { $0.mark.modified < limit }
    }

    private mutating func update(_ path: String, _ listing: LibraryFolder.Listing, isLocked: Bool) async throws {
        let known = try await store.known(in: path)
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

    /// Gives files that were renamed their new path; the others are left to be read.
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
            try await store.keep(found, in: path, isLocked: isLocked)
            changes.read += found.count
            changes.unreadable += described.count - found.count
        }
    }
}
