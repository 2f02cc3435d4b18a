import Database
package import FoundationEssentials
import GatewayCore
import Primitives
import Synchronization

/// The database records of the library.
///
/// A person gets only the person's own files and the shared ones, regardless of the query.
package struct AssetStore: Sendable {
    let database: Database
    let now: @Sendable () -> Date
    /// A cache of recently requested files. It does not depend on who may see them.
    private let known = ReadCache<UUID, Asset>(capacity: 2_048)
    let reads = ReadQueue()
    private let onChange = ChangeAction()

    init(database: Database, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// Returns a file that the person may see.
    ///
    /// - Parameters:
    ///   - id: The file's id.
    ///   - owners: The owners whose files the person may see.
    ///   - isElevated: Whether the person may also see locked files.
    /// - Returns: The file. Nil when it does not exist or the person may not see it.
    /// - Throws: `DatabaseError`.
    package func find(_ id: UUID, for owners: AssetOwners, isElevated: Bool) async throws -> Asset? {
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

    /// Empties the cache. Called after every write of the scan, and when another process may have written.
    package func invalidateCache() {
        known.removeAll()
        onChange.action.withLock { $0 }?()
    }

    /// Sets the action that is called when files may have changed, in this process or another.
    package func onChange(_ action: @escaping @Sendable () -> Void) {
        onChange.action.withLock { $0 = action }
    }

    private final class ChangeAction: Sendable {
        let action = Mutex<(@Sendable () -> Void)?>(nil)
    }

    /// Reads for a person, in turn with the person's other reads, on the connections for long reads. Every read of a
    /// request goes through here, except that of one file by its id.
    ///
    /// - Parameters:
    ///   - owners: The person, and the owners whose files the person may see.
    ///   - mayRefuse: Whether the read is refused when too many are waiting; see ``ReadQueue/run(of:mayRefuse:_:)``.
    ///   - body: The read.
    ///   - use: Work with what was read that is part of the person's turn.
    /// - Returns: The value of `use`.
    /// - Throws: The errors of `body` and `use`; `DatabaseError`; `CancellationError`; ``GatewayError/Code/busy`` when
    ///   too many reads of the person are waiting.
    func read<Rows: Sendable, Value: Sendable>(
        for owners: AssetOwners, mayRefuse: Bool = true, _ body: @escaping @Sendable (Connection) throws -> Rows,
        then use: @Sendable (Rows) async throws -> Value
    ) async throws -> Value {
        try await reads.run(of: owners.id, mayRefuse: mayRefuse) {
            try await use(try await database.readLong(body))
        }
    }

    /// Reads for a person; see ``read(for:mayRefuse:_:then:)``.
    func read<Rows: Sendable>(
        for owners: AssetOwners, mayRefuse: Bool = true, _ body: @escaping @Sendable (Connection) throws -> Rows
    ) async throws -> Rows {
        try await read(for: owners, mayRefuse: mayRefuse, body) { $0 }
    }

    /// Uses the files with these ids that the person may see, in the order of `ids`, as part of the person's turn. Other
    /// ids are omitted.
    func find<Value: Sendable>(
        _ ids: [UUID], for owners: AssetOwners, isElevated: Bool, then use: @Sendable ([Asset]) async throws -> Value
    ) async throws -> Value {
        try await read(for: owners) { connection in
            try ids.compactMap { id in
                let asset = try connection.first(AssetStatements.byID, id)
                return asset.flatMap { $0.isSeen(by: owners, isElevated: isElevated) ? $0 : nil }
            }
        } then: {
            try await use($0)
        }
    }

    /// Uses one page of the files that match a query, and whether there is another page, as part of the person's turn.
    package func search<Value: Sendable>(
        _ query: AssetQuery, for owners: AssetOwners,
        then use: @Sendable (_ assets: [Asset], _ hasMore: Bool) async throws -> Value
    ) async throws -> Value {
        let statement = query.isAscending ? AssetStatements.searchOldestFirst : AssetStatements.searchNewestFirst
        return try await read(for: owners) { connection in
            try connection.all(
                statement, owners.email, owners.id, query.visibility, query.kind, query.taken.from, query.taken.to,
                query.added.from, query.added.to, query.updated.from, query.updated.to, query.name?.lowercased(),
                query.album, query.checksum, query.id, query.isMotion, query.make, query.model, query.count + 1,
                query.skip)
        } then: { found in
            try await use(Array(found.prefix(query.count)), found.count > query.count)
        }
    }

    /// Returns the numbers of photographs and videos that the person has with a visibility.
    package func statistics(for owners: AssetOwners, visibility: AssetVisibility) async throws -> (
        images: Int, videos: Int
    ) {
        let rows = try await read(for: owners) {
            try $0.all(AssetStatements.count, owners.email, owners.id, visibility)
        }
        return (
            rows.first { $0.kind == .image }?.count ?? 0, rows.first { $0.kind == .video }?.count ?? 0
        )
    }

    /// Returns the number and the bytes of each owner's files, for an administrator.
    package func usage(for administrator: AssetOwners) async throws -> [AssetUsage] {
        try await read(for: administrator) { try $0.all(AssetStatements.usage) }
    }

    /// Returns the folders with visible files, except the top folders.
    package func albums(for owners: AssetOwners) async throws -> [AssetAlbum] {
        try await read(for: owners) { try $0.all(AssetStatements.albums, owners.email, owners.id, nil) }
    }

    /// Returns one of the ``albums(for:)``. Nil when it does not exist or the person may not see it.
    package func album(_ id: UUID, for owners: AssetOwners) async throws -> AssetAlbum? {
        try await read(for: owners) { try $0.first(AssetStatements.albums, owners.email, owners.id, id) }
    }
}

/// A query for files. A field that is nil matches every file.
package struct AssetQuery: Sendable, Equatable {
    /// A time interval that includes both ends. An end that is nil is open.
    package struct TimeRange: Sendable, Equatable {
        var from: Date?
        var to: Date?

        /// Creates an interval.
        package init(from: Date? = nil, to: Date? = nil) {
            self.from = from
            self.to = to
        }
    }

    package var visibility = AssetVisibility.timeline
    package var kind: AssetKind?
    package var taken = TimeRange()
    package var added = TimeRange()
    package var updated = TimeRange()
    /// A part of the file's name, case-insensitive.
    package var name: String?
    package var album: UUID?
    package var checksum: [UInt8]?
    package var id: UUID?
    /// Whether the file must be a live photograph with a video.
    package var isMotion: Bool?
    package var make: String?
    package var model: String?
    package var isAscending = false
    package var count = 250
    package var skip = 0
}

extension AssetQuery {
    /// Creates a query for all files with one visibility. The other fields are nil.
    package init(visibility: AssetVisibility = .timeline) {
        self.init()
        self.visibility = visibility
    }
}

/// A folder of photographs.
package struct AssetAlbum: Sendable, Equatable {
    package let id: UUID
    package let path: String
    package let owner: String
    package let added: Date
    package let count: Int
    package let first: Date
    package let last: Date
    package let updated: Date
    /// The id of the newest file, which is the cover.
    package let cover: UUID

    /// The name to show, which is the name of the folder.
    package var name: String { path.split(atByte: "/").last.map(String.init) ?? path }
}

/// The numbers and sizes of one owner's files.
package struct AssetUsage: Sendable, Equatable {
    package let owner: String
    package let images: Int
    package let videos: Int
    package let imageBytes: Int
    package let videoBytes: Int
}
