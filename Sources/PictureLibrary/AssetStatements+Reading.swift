import Database
import FoundationEssentials

/// The SQL for requests of clients. Every statement that returns several files filters them by owner.
extension AssetStatements {
    /// Does not filter by owner: callers check ``Asset/isSeen(by:isElevated:)``.
    static let byID = Statement("SELECT \(columns) FROM assets WHERE id = ?", UUID.self, row: asset)

    static let searchNewestFirst = search("taken_at DESC, rowid DESC")
    static let searchOldestFirst = search("taken_at, rowid")

    /// Returns a search statement. The inner query sorts only row ids, so that the last page of 100,000 photographs is
    /// as fast as the first.
    private static func search(
        _ order: String
    ) -> Statement<
        Asset, String, String, AssetVisibility, AssetKind?, Date?, Date?, Date?, Date?, Date?, Date?, String?, UUID?,
        [UInt8]?, UUID?, Bool?, String?, String?, Int, Int
    > {
        Statement(
            """
            SELECT \(columns) FROM assets WHERE rowid IN (
                SELECT rowid FROM assets
                WHERE owner IN (?1, ?2, '\(AssetOwners.shared)') AND visibility = ?3
                    AND (NOT is_locked OR visibility = 'locked')
                    AND (?4 IS NULL OR kind = ?4)
                    AND (?5 IS NULL OR taken_at >= ?5) AND (?6 IS NULL OR taken_at <= ?6)
                    AND (?7 IS NULL OR added_at >= ?7) AND (?8 IS NULL OR added_at <= ?8)
                    AND (?9 IS NULL OR updated_at >= ?9) AND (?10 IS NULL OR updated_at <= ?10)
                    AND (?11 IS NULL OR instr(sought_name, ?11) > 0)
                    AND (?12 IS NULL OR folder = (SELECT path FROM asset_folders WHERE id = ?12))
                    AND (?13 IS NULL OR sha1 = ?13)
                    AND (?14 IS NULL OR id = ?14)
                    AND (?15 IS NULL OR (motion_id IS NOT NULL) = ?15)
                    AND (?16 IS NULL OR make = ?16)
                    AND (?17 IS NULL OR model = ?17)
                ORDER BY \(order) LIMIT ?18 OFFSET ?19
            ) ORDER BY \(order)
            """,
            String.self, String.self, AssetVisibility.self, AssetKind?.self, Date?.self, Date?.self, Date?.self,
            Date?.self, Date?.self, Date?.self, String?.self, UUID?.self, [UInt8]?.self, UUID?.self, Bool?.self,
            String?.self, String?.self, Int.self, Int.self, row: asset)
    }

    static let count = Statement(
        """
        SELECT kind, count(*) FROM assets WHERE owner IN (?1, ?2, '\(AssetOwners.shared)') AND visibility = ?3
            AND (NOT is_locked OR visibility = 'locked')
        GROUP BY kind
        """,
        String.self, String.self, AssetVisibility.self
    ) { row throws(DatabaseError) in (kind: try row.get(0) as AssetKind, count: try row.get(1) as Int) }

    static let usage = Statement(
        """
        SELECT owner, count(*) FILTER (WHERE kind = 'IMAGE'),
            count(*) FILTER (WHERE kind = 'VIDEO' AND visibility <> 'hidden'),
            CAST(sum(CASE WHEN kind = 'IMAGE' THEN size ELSE 0 END) AS BIGINT),
            CAST(sum(CASE WHEN kind = 'VIDEO' THEN size ELSE 0 END) AS BIGINT)
        FROM assets GROUP BY owner ORDER BY owner
        """
    ) { row throws(DatabaseError) in
        AssetUsage(
            owner: try row.get(0), images: try row.get(1), videos: try row.get(2), imageBytes: try row.get(3),
            videoBytes: try row.get(4))
    }

    /// The cover of an album is its newest photograph.
    static let albums = Statement(
        """
        SELECT f.id, f.path, f.owner, f.added_at, count(*), min(a.taken_at), max(a.taken_at),
            (SELECT max(updated_at) FROM assets WHERE folder = f.path AND visibility = 'timeline'),
            (SELECT id FROM assets WHERE folder = f.path AND visibility = 'timeline' ORDER BY taken_at DESC LIMIT 1)
        FROM asset_folders f JOIN assets a ON a.folder = f.path AND a.visibility = 'timeline'
        WHERE f.owner IN (?1, ?2, '\(AssetOwners.shared)') AND NOT f.is_locked AND instr(f.path, '/') > 0
            AND (?3 IS NULL OR f.id = ?3)
        GROUP BY f.path ORDER BY max(a.taken_at) DESC
        """,
        String.self, String.self, UUID?.self
    ) { row throws(DatabaseError) in
        AssetAlbum(
            id: try row.get(0), path: try row.get(1), owner: try row.get(2), added: try row.get(3),
            count: try row.get(4), first: try row.get(5), last: try row.get(6), updated: try row.get(7),
            cover: try row.get(8))
    }

    static let lastChange = Statement("SELECT coalesce(max(number), 0) FROM asset_changes") {
        row throws(DatabaseError) in try row.get(0) as Int
    }

    /// Selects the first change that is still recorded.
    static let firstChange = Statement("SELECT min(number) FROM asset_changes") {
        row throws(DatabaseError) in try row.get(0) as Int?
    }

    /// Selects each owner's last files that changed after a change, in the order of their last changes, at most ?2 that
    /// are listed and ?3 that are no longer listed. A file whose addition is among the changes counts as added. The last
    /// column is the number of files of that owner and kind before the limit.
    static let changes = Statement(
        """
        SELECT asset, owner, CASE WHEN was_added AND change = 'changed' THEN 'added' ELSE change END, total FROM (
            SELECT *, row_number() OVER (PARTITION BY owner, is_gone ORDER BY last DESC) AS recency,
                count(*) OVER (PARTITION BY owner, is_gone) AS total
            FROM (
                SELECT c.asset, c.owner, c.change, c.change IN ('hidden', 'removed') AS is_gone, f.last, f.was_added
                FROM asset_changes c JOIN (
                    SELECT max(number) AS last, count(*) FILTER (WHERE change = 'added') > 0 AS was_added
                    FROM asset_changes WHERE number > ?1 GROUP BY asset, owner
                ) f ON f.last = c.number
            ) last_changes
        ) recent_changes WHERE recency <= CASE WHEN is_gone THEN ?3 ELSE ?2 END ORDER BY last
        """, Int.self, Int.self, Int.self
    ) { row throws(DatabaseError) in
        (
            change: AssetChange(asset: try row.get(0), owner: try row.get(1), kind: try row.get(2)),
            total: try row.get(3) as Int
        )
    }
}
