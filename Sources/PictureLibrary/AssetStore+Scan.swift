import Database
import FoundationEssentials

/// The reads and writes of the scan. Each write is short, because a sign-in may wait for it.
extension AssetStore {
    /// The maximum number of rows that one write changes.
    static let batch = 128

    /// Adds a folder. A folder that exists already keeps the id of its album.
    func add(folder: String, isLocked: Bool) async throws {
        let (owner, now) = (AssetOwners.owner(ofFolder: folder), now())
        _ = try await database.write { try $0.run(AssetStatements.album, folder, UUID(), owner, isLocked, now) }
    }

    /// Returns the folders that existed at the last scan.
    func folders() async throws -> [String] {
        try await database.read { try $0.all(AssetStatements.albumPaths) }
    }

    /// Returns the files that a folder contained at the last scan.
    func known(in folder: String) async throws -> [KnownFile] {
        try await database.read { try $0.all(AssetStatements.known, folder) }
    }

    /// Returns the files in any folder that may be this file under another name.
    func candidates(for mark: FileMark) async throws -> [MovedFile] {
        try await database.read {
            try $0.all(AssetStatements.moved, mark.inode, mark.size, mark.modified)
        }
    }

    /// Changes the path of a file. Its id does not change.
    func move(_ file: MovedFile, toFolder folder: String, name: String, isLocked: Bool) async throws {
        guard let kind = AssetKind(name: name) else { return }
        defer { invalidateCache() }
        let (owner, now) = (AssetOwners.owner(ofFolder: folder), now())
        _ = try await database.write {
            try $0.run(
                AssetStatements.move, folder, name, name.lowercased(), owner, kind, isLocked ? .locked : .timeline,
                isLocked, now, file.id, file.folder, file.name)
        }
    }

    /// Stores the data of new or changed files, at most ``batch`` of them.
    func store(_ files: [(name: String, file: DescribedFile)], in folder: String, isLocked: Bool) async throws {
        defer { invalidateCache() }
        let (owner, now) = (AssetOwners.owner(ofFolder: folder), now())
        let visibility: AssetVisibility = isLocked ? .locked : .timeline
        try await database.write { connection in
            for (name, file) in files {
                guard let kind = AssetKind(name: name) else { continue }
                let (facts, mark) = (file.facts, file.mark)
                let taken = facts.taken ?? MediaTime(instant: mark.modificationDate)
                try connection.run(
                    AssetStatements.insert, UUID(), folder, name, owner, kind, mark.size, mark.modified, mark.inode,
                    file.checksum, facts.width, facts.height, facts.duration, facts.make, facts.model,
                    facts.orientation, facts.taken?.offset, taken.instant, taken.local, nil, visibility, isLocked, now,
                    now, name.lowercased())
            }
        }
    }

    /// Updates which files of a folder are live photographs and which are their videos.
    func pair(_ files: [KnownFile], isLocked: Bool) async throws {
        defer { invalidateCache() }
        let roles = LivePairs.roles(files)
        let changes = files.compactMap { file -> (UUID, UUID?, AssetVisibility)? in
            let role = roles[file.id] ?? LivePairs.Role()
            let visibility: AssetVisibility = role.isMotion ? .hidden : isLocked ? .locked : .timeline
            guard file.motion != role.motion || file.visibility != visibility else { return nil }
            return (file.id, role.motion, visibility)
        }
        for start in stride(from: 0, to: changes.count, by: Self.batch) {
            let (part, now) = (Array(changes[start..<min(start + Self.batch, changes.count)]), now())
            try await database.write { connection in
                for (id, motion, visibility) in part {
                    try connection.run(AssetStatements.pair, motion, visibility, now, id)
                }
            }
        }
    }

    /// Removes the records of files, except files that have moved to another path. Returns how many were removed.
    @discardableResult
    func remove(_ files: [MovedFile]) async throws -> Int {
        defer { invalidateCache() }
        var count = 0
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            let part = Array(files[start..<min(start + Self.batch, files.count)])
            count += try await database.write { connection in
                try part.reduce(0) { sum, file in
                    sum + (try connection.run(AssetStatements.remove, file.id, file.folder, file.name))
                }
            }
        }
        return count
    }

    /// Removes the records of a folder and of every file that is still in it. Returns the number of files.
    func remove(folder: String) async throws -> Int {
        var count = 0
        while true {
            let rest = try await database.read { try $0.all(AssetStatements.inFolder, folder) }
            guard !rest.isEmpty else { break }
            count += try await remove(rest.map { MovedFile(id: $0.0, folder: folder, name: $0.1) })
        }
        _ = try await database.write { try $0.run(AssetStatements.removeAlbum, folder) }
        return count
    }
}
