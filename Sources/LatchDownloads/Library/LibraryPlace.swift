import Database
public import LatchKit

/// Where a person's files go, and how they lie there.
public struct LibraryPlace: Sendable, Hashable {
    /// The folder.
    public var folder: String
    /// How files lie in it.
    public var layout: LibraryLayout
    /// Whether live photos become one file each.
    public var keepsMotionPhotos: Bool

    /// Makes a place.
    public init(folder: String, layout: LibraryLayout = .flat, keepsMotionPhotos: Bool = false) {
        self.folder = folder
        self.layout = layout
        self.keepsMotionPhotos = keepsMotionPhotos
    }
}

/// The places that files were brought to, kept with the accounts: a queue that was stopped goes on where it was.
public struct LibraryPlaces: Sendable {
    private let database: Database

    /// The places of a client.
    public init(_ latch: Latchstring) { database = latch.accounts.database }

    /// The place of the last downloads; nil before the first.
    ///
    /// - Throws: The codes of the storage.
    public func last() async throws -> LibraryPlace? {
        try await LatchError.telling { try await database.read { try $0.first(Self.selectLast) } }
    }

    /// How files lie in a folder; nil for one that nothing was brought to.
    ///
    /// - Throws: The codes of the storage.
    public func layout(of folder: String) async throws -> LibraryLayout? {
        try await LatchError.telling { try await database.read { try $0.first(Self.selectOne, folder) } }?.layout
    }

    /// Remembers the place as the last one.
    ///
    /// - Throws: The codes of the storage.
    public func remember(_ place: LibraryPlace) async throws {
        try await LatchError.telling {
            try await database.write {
                _ = try $0.run(Self.upsert, place.folder, place.layout.rawValue, place.keepsMotionPhotos)
            }
        }
    }

    private static let columns = "folder, layout, motion_photos"

    private static let selectLast = Statement(
        "SELECT \(columns) FROM libraries ORDER BY used DESC LIMIT 1", row: place)

    private static let selectOne = Statement(
        "SELECT \(columns) FROM libraries WHERE folder = ?", String.self, row: place)

    private static let upsert = Statement(
        """
        INSERT INTO libraries (folder, layout, motion_photos, used) \
        VALUES (?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM libraries)) \
        ON CONFLICT DO UPDATE SET layout = excluded.layout, motion_photos = excluded.motion_photos, used = excluded.used
        """, String.self, String.self, Bool.self)

    private static let place: @Sendable (SQLRow) throws(DatabaseError) -> LibraryPlace = { row throws(DatabaseError) in
        let layout: String = try row.get(1)
        return LibraryPlace(
            folder: try row.get(0), layout: LibraryLayout(rawValue: layout) ?? .flat,
            keepsMotionPhotos: try row.get(2))
    }
}
