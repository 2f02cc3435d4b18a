import Database
import FoundationEssentials

/// The SQL of the library.
enum AssetStatements {
    static let columns =
        """
        id, folder, name, owner, kind, size, modified_at, inode, sha1, width, height, duration, make, model, \
        orientation, utc_offset, taken_at, local_at, motion_id, visibility, is_locked, added_at, updated_at
        """

    @Sendable
    static func asset(_ row: SQLRow) throws(DatabaseError) -> Asset {
        Asset(
            id: try row.get(0), folder: try row.get(1), name: try row.get(2), owner: try row.get(3),
            kind: try row.get(4), file: try mark(row, 5), checksum: try row.get(8), facts: try facts(row),
            taken: try row.get(16), takenLocally: try row.get(17), motion: try row.get(18),
            visibility: try row.get(19), isLocked: try row.get(20), added: try row.get(21), updated: try row.get(22))
    }

    private static func mark(_ row: SQLRow, _ first: Int) throws(DatabaseError) -> FileMark {
        FileMark(size: try row.get(first), modified: try row.get(first + 1), inode: try row.get(first + 2))
    }

    private static func facts(_ row: SQLRow) throws(DatabaseError) -> MediaFacts {
        MediaFacts(
            width: try row.get(9), height: try row.get(10), duration: try row.get(11), make: try row.get(12),
            model: try row.get(13), orientation: try row.get(14))
    }

    // MARK: - The scan's

    static let album = Statement(
        "INSERT INTO asset_folders (path, id, owner, is_locked, added_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (path) DO NOTHING",
        String.self, UUID.self, String.self, Bool.self, Date.self)

    static let removeAlbum = Statement("DELETE FROM asset_folders WHERE path = ?", String.self)

    static let albumPaths = Statement("SELECT path FROM asset_folders ORDER BY path") { row throws(DatabaseError) in
        try row.get(0) as String
    }

    static let known = Statement(
        "SELECT id, name, size, modified_at, inode, motion_id, visibility, duration FROM assets WHERE folder = ?",
        String.self
    ) { row throws(DatabaseError) in
        KnownFile(
            id: try row.get(0), name: try row.get(1), mark: try mark(row, 2), motion: try row.get(5),
            visibility: try row.get(6), duration: try row.get(7))
    }

    /// Finds a file that may have moved, by inode number, size and modification time.
    static let moved = Statement(
        "SELECT id, folder, name FROM assets WHERE inode = ? AND size = ? AND modified_at = ? LIMIT 4", Int.self,
        Int.self, Int.self
    ) { row throws(DatabaseError) in
        MovedFile(id: try row.get(0), folder: try row.get(1), name: try row.get(2))
    }

    static let move = Statement(
        """
        UPDATE assets SET folder = ?1, name = ?2, sought_name = ?3, owner = ?4, kind = ?5, motion_id = NULL,
            visibility = ?6, is_locked = ?7, updated_at = ?8
        WHERE id = ?9 AND folder = ?10 AND name = ?11
            AND NOT EXISTS (SELECT 1 FROM assets o WHERE o.folder = ?1 AND o.name = ?2)
        """,
        String.self, String.self, String.self, String.self, AssetKind.self, AssetVisibility.self, Bool.self, Date.self,
        UUID.self, String.self, String.self)

    static let insert = Statement(
        """
        INSERT INTO assets (\(columns), sought_name)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (folder, name) DO UPDATE SET
            size = excluded.size, modified_at = excluded.modified_at, inode = excluded.inode, sha1 = excluded.sha1,
            width = excluded.width, height = excluded.height, duration = excluded.duration, make = excluded.make,
            model = excluded.model, orientation = excluded.orientation, utc_offset = excluded.utc_offset,
            taken_at = excluded.taken_at, local_at = excluded.local_at, updated_at = excluded.updated_at
        """,
        UUID.self, String.self, String.self, String.self, AssetKind.self, Int.self, Int.self, Int.self, [UInt8].self,
        Int?.self, Int?.self, Int?.self, String?.self, String?.self, Int?.self, Int?.self, Date.self, Date.self,
        UUID?.self, AssetVisibility.self, Bool.self, Date.self, Date.self, String.self)

    static let pair = Statement(
        "UPDATE assets SET motion_id = ?, visibility = ?, updated_at = ? WHERE id = ?", UUID?.self,
        AssetVisibility.self, Date.self, UUID.self)

    static let remove = Statement(
        "DELETE FROM assets WHERE id = ? AND folder = ? AND name = ?", UUID.self, String.self, String.self)

    static let inFolder = Statement(
        "SELECT id, name FROM assets WHERE folder = ? LIMIT 500", String.self
    ) { row throws(DatabaseError) in (try row.get(0) as UUID, try row.get(1) as String) }
}

/// The record of a file in a folder.
struct KnownFile: Sendable {
    let id: UUID
    let name: String
    let mark: FileMark
    let motion: UUID?
    let visibility: AssetVisibility
    /// The duration in milliseconds. Nil for photographs.
    let duration: Int?
}

/// A file that may have been renamed.
struct MovedFile: Sendable {
    let id: UUID
    let folder: String
    let name: String

    var path: String { folder + "/" + name }
}
