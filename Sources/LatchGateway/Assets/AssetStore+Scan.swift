import Database
import FoundationEssentials

/// What the scan writes. Each write is short, for a sign-in may wait behind it.
extension AssetStore {
    /// How many rows one write changes at most.
    static let batch = 128

    /// Notes a folder; one that is known already keeps its album's id.
    func add(folder: String, isLocked: Bool) async throws {
        let (owner, now) = (AssetOwners.owner(ofFolder: folder), now())
        _ = try await database.write { try $0.run(AssetStatements.album, folder, UUID(), owner, isLocked, now) }
    }

    /// The folders that were there at the last scan.
    func folders() async throws -> [String] {
        try await database.read { try $0.all(AssetStatements.albumPaths) }
    }

    /// The files that a folder had at the last scan.
    func known(in folder: String) async throws -> [KnownFile] {
        try await database.read { try $0.all(AssetStatements.known, folder) }
    }

    /// The files, wherever they are, that may be this one under another name.
    func candidates(for mark: FileMark) async throws -> [MovedFile] {
        try await database.read {
            try $0.all(AssetStatements.moved, mark.inode, mark.size, mark.modified)
        }
    }

    /// Gives a file its new path; its id stays.
    func move(_ file: MovedFile, toFolder folder: String, name: String, isLocked: Bool) async throws {
        guard let kind = AssetKind(name: name) else { return }
        defer { forget() }
        let (owner, now) = (AssetOwners.owner(ofFolder: folder), now())
        _ = try await database.write {
            try $0.run(
                AssetStatements.move, folder, name, name.lowercased(), owner, kind, isLocked ? .locked : .timeline,
                isLocked, now, file.id, file.folder, file.name)
        }
    }

    /// Keeps what was read of files that are new or were changed, at most ``batch`` of them.
    func keep(_ files: [(name: String, file: DescribedFile)], in folder: String, isLocked: Bool) async throws {
        defer { forget() }
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

    /// Makes the files of a folder the pairs that they are.
    func pair(_ files: [KnownFile], isLocked: Bool) async throws {
        defer { forget() }
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

    /// Forgets files, each unless it has another path by now; gives how many were forgotten.
    @discardableResult
    func remove(_ files: [MovedFile]) async throws -> Int {
        defer { forget() }
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

    /// Forgets a folder and every file that is still in it; gives how many there were.
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
