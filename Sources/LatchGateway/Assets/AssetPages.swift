import Database
import FoundationEssentials

/// What a plan of archives needs to know of a file.
struct AssetPart: Sendable, Equatable {
    let id: UUID
    let size: Int
    /// The film that moves with it.
    let motion: UUID?
    /// Its place, or that of the photograph that it moves with.
    let place: Place

    /// Where among all files a page goes on.
    struct Place: Sendable, Equatable {
        /// Before the newest.
        static let start = Place(taken: .max, row: .max)

        /// When it was taken, as the database has it.
        let taken: Int
        let row: Int
    }

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        id = try row.get(0)
        size = try row.get(1)
        motion = try row.get(2)
        place = Place(taken: try row.get(3), row: try row.get(4))
    }
}

/// Files in pages, each read when it is asked for: of a library, or an album, first what stands in its lists, the newest first,
/// and then the films that move with photographs of it.
struct AssetPages: Sendable {
    /// How many files a page has at most.
    static let size = 1_000

    private struct Source: Sendable {
        let store: AssetStore
        let owners: AssetOwners
        let album: UUID?
        var areFilms = false
        var place = AssetPart.Place.start
    }

    private var ready: ArraySlice<[AssetPart]>
    private var source: Source?

    /// Pages that were read already.
    init(_ pages: [[AssetPart]]) {
        ready = pages[...]
    }

    /// All that a person sees without unlocking, of an album or of everything.
    init(of album: UUID?, for owners: AssetOwners, in store: AssetStore) {
        ready = []
        source = Source(store: store, owners: owners, album: album)
    }

    /// The next page; nil behind the last.
    ///
    /// - Throws: `DatabaseError`.
    mutating func next() async throws -> [AssetPart]? {
        if let page = ready.popFirst() { return page }
        while let source {
            let page = try await source.store.parts(
                of: source.album, areFilms: source.areFilms, behind: source.place, for: source.owners)
            if let last = page.last {
                self.source?.place = last.place
                return page
            }
            if source.areFilms {
                self.source = nil
            } else {
                self.source?.areFilms = true
                self.source?.place = .start
            }
        }
        return nil
    }
}

extension AssetStore {
    /// What a plan needs to know of the files of these ids that the person may see, in the order of `ids`; others are left
    /// out.
    func parts(_ ids: [UUID], for owners: AssetOwners, isElevated: Bool) async throws -> [AssetPart] {
        try await database.read { connection in
            try ids.compactMap { id in
                try connection.first(AssetStatements.part, id, owners.email, owners.id, isElevated)
            }
        }
    }

    /// A page of them, behind a place.
    func parts(
        of album: UUID?, areFilms: Bool, behind place: AssetPart.Place, for owners: AssetOwners
    ) async throws -> [AssetPart] {
        let statement = areFilms ? AssetStatements.films : AssetStatements.listed
        return try await database.read {
            try $0.all(statement, place.taken, place.row, owners.email, owners.id, album, AssetPages.size)
        }
    }
}

/// The SQL of plans.
extension AssetStatements {
    static let part = Statement(
        """
        SELECT id, size, motion_id, taken_at, rowid FROM assets
        WHERE id = ?1 AND owner IN (?2, ?3, '\(AssetOwners.shared)') AND (is_locked = 0 OR ?4)
        """,
        UUID.self, String.self, String.self, Bool.self, row: AssetPart.init)

    static let listed = pages("s.id, s.size", "")

    static let films = pages(
        "m.id, m.size",
        """
        CROSS JOIN assets m ON m.id = s.motion_id AND m.is_locked = 0
            AND m.owner IN (?3, ?4, '\(AssetOwners.shared)')
        """)

    /// Each owner's are read by the index in the order that is wanted and the three are merged, so that nothing is sorted and
    /// a page costs as much as it has, wherever it begins.
    private static func pages(
        _ columns: String, _ films: String
    ) -> Statement<AssetPart, Int, Int, String, String, UUID?, Int> {
        let files = ["= ?3", "= ?4 AND ?3 <> ?4", "= '\(AssetOwners.shared)'"].map { owner in
            """
            SELECT \(columns), NULL, s.taken_at AS taken, s.rowid AS place FROM assets s \(films)
            WHERE s.owner \(owner) AND s.visibility = 'timeline' AND (s.taken_at, s.rowid) < (?1, ?2) AND s.is_locked = 0
                AND (?5 IS NULL OR s.folder = (SELECT path FROM asset_folders WHERE id = ?5))
            """
        }
        return Statement(
            files.joined(separator: " UNION ALL ") + " ORDER BY taken DESC, place DESC LIMIT ?6",
            Int.self, Int.self, String.self, String.self, UUID?.self, Int.self, row: AssetPart.init)
    }
}
