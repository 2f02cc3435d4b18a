package import Database
package import FoundationEssentials

/// The data about a file that is needed to plan archives.
package struct AssetPart: Sendable, Equatable {
    package let id: UUID
    package let size: Int
    /// The id of the video, for a live photograph. Nil for other files.
    package let motion: UUID?
    /// The position of the file. For the video of a live photograph, the position of the photograph.
    package let place: Place

    /// A position in the order of all files. A page begins after it.
    package struct Place: Sendable, Equatable {
        /// The position before the newest file.
        package static let start = Place(taken: .max, row: .max)

        /// When the file was taken, as the database stores it.
        package let taken: Int
        package let row: Int
    }

    @Sendable
    package init(_ row: SQLRow) throws(DatabaseError) {
        id = try row.get(0)
        // Clamped, so that sums of sizes cannot overflow if the database was changed.
        size = min(max(try row.get(1) as Int, 0), LibraryFolder.maximumSize)
        motion = try row.get(2)
        place = Place(taken: try row.get(3), row: try row.get(4))
    }
}

/// A sequence of pages of files, each read on request. The pages of a library or an album first contain the listed
/// files, newest first, and then the videos of its live photographs.
package struct AssetPages: Sendable {
    /// The maximum number of files on a page.
    package static let size = 1_000

    private struct Source: Sendable {
        package let store: AssetStore
        package let owners: AssetOwners
        package let album: UUID?
        var areVideos = false
        package var place = AssetPart.Place.start
    }

    private var ready: ArraySlice<[AssetPart]>
    private var source: Source?

    /// Makes a sequence of pages that are already in memory.
    package init(_ pages: [[AssetPart]]) {
        ready = pages[...]
    }

    /// Makes a sequence of all files that a person sees without elevation, of an album or, if `album` is nil, of the
    /// library.
    package init(of album: UUID?, for owners: AssetOwners, in store: AssetStore) {
        ready = []
        source = Source(store: store, owners: owners, album: album)
    }

    /// Returns the next page. Nil after the last one.
    ///
    /// - Throws: `DatabaseError`.
    package mutating func next() async throws -> [AssetPart]? {
        if let page = ready.popFirst() { return page }
        while let source {
            let page = try await source.store.parts(
                of: source.album, areVideos: source.areVideos, behind: source.place, for: source.owners)
            if let last = page.last {
                self.source?.place = last.place
                return page
            }
            if source.areVideos {
                self.source = nil
            } else {
                self.source?.areVideos = true
                self.source?.place = .start
            }
        }
        return nil
    }
}

extension AssetStore {
    /// Returns the planning data of the files with these ids, in the order of `ids`. Files that do not exist or that
    /// the person may not see are omitted.
    package func parts(_ ids: [UUID], for owners: AssetOwners, isElevated: Bool) async throws -> [AssetPart] {
        try await read(for: owners) { connection in
            try ids.compactMap { id in
                try connection.first(AssetStatements.part, id, owners.email, owners.id, isElevated)
            }
        }
    }

    /// Returns a page of planning data behind a position. Only the first page may be refused: the response has begun
    /// when the next ones are read.
    func parts(
        of album: UUID?, areVideos: Bool, behind place: AssetPart.Place, for owners: AssetOwners
    ) async throws -> [AssetPart] {
        let statement = areVideos ? AssetStatements.videos : AssetStatements.listed
        return try await read(for: owners, mayRefuse: place == .start && !areVideos) {
            try $0.all(statement, place.taken, place.row, owners.email, owners.id, album, AssetPages.size)
        }
    }
}

/// The SQL for planning archives.
extension AssetStatements {
    static let part = Statement(
        """
        SELECT id, size, motion_id, taken_at, rowid FROM assets
        WHERE id = ?1 AND owner IN (?2, ?3, '\(AssetOwners.shared)') AND (NOT is_locked OR ?4)
        """,
        UUID.self, String.self, String.self, Bool.self, row: AssetPart.init)

    static let listed = pages("s.id, s.size", "", "")

    static let videos = pages(
        "m.id, m.size",
        "CROSS JOIN assets m",
        " AND m.id = s.motion_id AND NOT m.is_locked AND m.owner IN (?3, ?4, '\(AssetOwners.shared)')")

    /// Returns a statement that reads a page. It reads the files of each owner by index in the required order and
    /// merges the three results. Nothing is sorted, so the cost of a page depends on its length, not on its position.
    private static func pages(
        _ columns: String, _ join: String, _ condition: String
    ) -> Statement<AssetPart, Int, Int, String, String, UUID?, Int> {
        let files = ["= ?3", "= ?4 AND ?3 <> ?4", "= '\(AssetOwners.shared)'"].map { owner in
            """
            SELECT \(columns), NULL, s.taken_at AS taken, s.rowid AS place FROM assets s \(join)
            WHERE s.owner \(owner) AND s.visibility = 'timeline' AND (s.taken_at, s.rowid) < (?1, ?2) AND NOT s.is_locked
                AND (?5 IS NULL OR s.folder = (SELECT path FROM asset_folders WHERE id = ?5))\(condition)
            """
        }
        return Statement(
            files.joined(separator: " UNION ALL ") + " ORDER BY taken DESC, place DESC LIMIT ?6",
            Int.self, Int.self, String.self, String.self, UUID?.self, Int.self, row: AssetPart.init)
    }
}
