import Database
import FoundationEssentials

/// What the database knows of the library.
///
/// A person is given their own files and those that are everybody's; nobody's else, whatever is asked for.
struct AssetStore: Sendable {
    let database: Database
    let now: @Sendable () -> Date
    /// The files that were asked for lately, whoever may see them.
    private let known = ReadCache<UUID, Asset>(capacity: 2_048)

    init(database: Database, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// A file that the person may see.
    ///
    /// - Parameters:
    ///   - id: The file's id.
    ///   - owners: Whose files the person sees.
    ///   - isElevated: Whether locked files are seen too.
    /// - Returns: The file; nil when there is none, or none for this person.
    /// - Throws: `DatabaseError`.
    func find(_ id: UUID, for owners: AssetOwners, isElevated: Bool) async throws -> Asset? {
        let asset = try await asset(id)
        return asset.flatMap { $0.isSeen(by: owners, isElevated: isElevated) ? $0 : nil }
    }

    private func asset(_ id: UUID) async throws -> Asset? {
        if let asset = known[id] { return asset }
        let ticket = known.ticket
        guard let asset = try await database.read({ try $0.first(AssetStatements.byID, id) }) else { return nil }
        known.insert(asset, for: id, ticket: ticket)
        return asset
    }

    /// Forgets what is in memory, after every write of the scan and when another process may have written.
    func forget() {
        known.removeAll()
    }

    /// The files of these ids that the person may see, in the order of `ids`; others are left out.
    func find(_ ids: [UUID], for owners: AssetOwners, isElevated: Bool) async throws -> [Asset] {
        try await database.read { connection in
            try ids.compactMap { id in
                let asset = try connection.first(AssetStatements.byID, id)
                return asset.flatMap { $0.isSeen(by: owners, isElevated: isElevated) ? $0 : nil }
            }
        }
    }

    /// One page of the files that the person asks for, and whether there is another page.
    func search(_ query: AssetQuery, for owners: AssetOwners) async throws -> (assets: [Asset], hasMore: Bool) {
        let statement = query.isAscending ? AssetStatements.searchOldestFirst : AssetStatements.searchNewestFirst
        var found = try await database.read { connection in
            try connection.all(
                statement, owners.email, owners.id, query.visibility, query.kind, query.taken.from, query.taken.to,
                query.added.from, query.added.to, query.updated.from, query.updated.to, query.name?.lowercased(),
                query.album, query.checksum, query.id, query.isMotion, query.make, query.model, query.count + 1,
                query.skip)
        }
        let hasMore = found.count > query.count
        if hasMore { found.removeLast() }
        return (found, hasMore)
    }

    /// How many photographs and films the person has of a visibility.
    func statistics(for owners: AssetOwners, visibility: AssetVisibility) async throws -> (images: Int, videos: Int) {
        let rows = try await database.read {
            try $0.all(AssetStatements.count, owners.email, owners.id, visibility)
        }
        return (
            rows.first { $0.kind == .image }?.count ?? 0, rows.first { $0.kind == .video }?.count ?? 0
        )
    }

    /// How many files each owner has, and their bytes.
    func usage() async throws -> [AssetUsage] {
        try await database.read { try $0.all(AssetStatements.usage) }
    }

    /// The folders with something to see in them, without the person's own top folder.
    func albums(for owners: AssetOwners) async throws -> [AssetAlbum] {
        try await database.read { try $0.all(AssetStatements.albums, owners.email, owners.id, nil) }
    }

    /// One of them.
    func album(_ id: UUID, for owners: AssetOwners) async throws -> AssetAlbum? {
        try await database.read { try $0.first(AssetStatements.albums, owners.email, owners.id, id) }
    }
}

/// Which files are asked for; what is nil lets every file through.
struct AssetQuery: Sendable, Equatable {
    /// A stretch of time, both ends included.
    struct Stretch: Sendable, Equatable {
        var from: Date?
        var to: Date?
    }

    var visibility = AssetVisibility.timeline
    var kind: AssetKind?
    var taken = Stretch()
    var added = Stretch()
    var updated = Stretch()
    /// A part of the name, in either case.
    var name: String?
    var album: UUID?
    var checksum: [UInt8]?
    var id: UUID?
    /// Whether it must have a film that moves with it.
    var isMotion: Bool?
    var make: String?
    var model: String?
    var isAscending = false
    var count = 250
    var skip = 0
}

/// A folder of photographs.
struct AssetAlbum: Sendable, Equatable {
    let id: UUID
    let path: String
    let owner: String
    let added: Date
    let count: Int
    let first: Date
    let last: Date
    let updated: Date
    /// The newest file, which stands for it.
    let cover: UUID

    /// The name to show: the folder's own.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// What one owner's files take up.
struct AssetUsage: Sendable, Equatable {
    let owner: String
    let images: Int
    let videos: Int
    let imageBytes: Int
    let videoBytes: Int
}
