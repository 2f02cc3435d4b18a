extension Schema {
    /// The tables of the scanned library files. The id of a folder is also the id of its album.
    package static let pictureLibrary =
        """
        CREATE TABLE asset_folders (
            path TEXT NOT NULL PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            is_locked INTEGER NOT NULL,
            added_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE assets (
            id TEXT NOT NULL UNIQUE,
            folder TEXT NOT NULL,
            name TEXT NOT NULL,
            sought_name TEXT NOT NULL,
            owner TEXT NOT NULL,
            kind TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified_at INTEGER NOT NULL,
            inode INTEGER NOT NULL,
            sha1 BLOB NOT NULL,
            width INTEGER,
            height INTEGER,
            duration INTEGER,
            make TEXT,
            model TEXT,
            orientation INTEGER,
            utc_offset INTEGER,
            taken_at INTEGER NOT NULL,
            local_at INTEGER NOT NULL,
            motion_id TEXT,
            visibility TEXT NOT NULL,
            is_locked INTEGER NOT NULL,
            added_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            UNIQUE (folder, name)
        ) STRICT;

        CREATE INDEX assets_by_time ON assets (owner, visibility, taken_at);
        CREATE INDEX assets_by_inode ON assets (inode);
        """

    /// The last changes of files that are not locked, with the owner who is told of each. The triggers record the
    /// changes of every process, and keep the last 10,000 changes.
    package static let pictureChanges =
        """
        CREATE TABLE asset_changes (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            asset TEXT NOT NULL,
            owner TEXT NOT NULL,
            change TEXT NOT NULL CHECK (change IN ('added', 'changed', 'hidden', 'removed'))
        ) STRICT;

        CREATE TRIGGER asset_changes_trimmed AFTER INSERT ON asset_changes BEGIN
            DELETE FROM asset_changes WHERE number <= NEW.number - 10000;
        END;

        CREATE TRIGGER assets_added AFTER INSERT ON assets WHEN \(isListed("NEW")) BEGIN
            INSERT INTO asset_changes (asset, owner, change) VALUES (NEW.id, NEW.owner, 'added');
        END;

        CREATE TRIGGER assets_changed AFTER UPDATE ON assets BEGIN
            INSERT INTO asset_changes (asset, owner, change) SELECT OLD.id, OLD.owner, 'hidden'
                WHERE \(isListed("OLD")) AND NOT (\(isListed("NEW")) AND NEW.owner = OLD.owner);
            INSERT INTO asset_changes (asset, owner, change) SELECT NEW.id, NEW.owner,
                CASE WHEN \(isListed("OLD")) AND NEW.owner = OLD.owner THEN 'changed' ELSE 'added' END
                WHERE \(isListed("NEW"));
        END;

        CREATE TRIGGER assets_removed AFTER DELETE ON assets WHEN \(isListed("OLD")) BEGIN
            INSERT INTO asset_changes (asset, owner, change) VALUES (OLD.id, OLD.owner, 'removed');
        END;
        """

    /// The number of files of each month in which an owner took any, for each visibility: of all of the owner's files,
    /// with the folder `''`, and of each folder. The triggers count the changes of every process. `day` is the first
    /// day of the month, by the camera's clock.
    package static let pictureMonths =
        """
        CREATE TABLE asset_months (
            owner TEXT NOT NULL,
            visibility TEXT NOT NULL,
            folder TEXT NOT NULL,
            day TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (owner, visibility, folder, day)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER asset_months_added AFTER INSERT ON assets WHEN \(isCounted("NEW")) BEGIN
            \(countInMonth("NEW"))
        END;

        CREATE TRIGGER asset_months_removed AFTER DELETE ON assets WHEN \(isCounted("OLD")) BEGIN
            \(removeFromMonth("OLD"))
        END;

        CREATE TRIGGER asset_months_changed AFTER UPDATE OF owner, visibility, is_locked, folder, local_at ON assets
        WHEN (OLD.owner, OLD.visibility, OLD.is_locked, OLD.folder, OLD.local_at)
            <> (NEW.owner, NEW.visibility, NEW.is_locked, NEW.folder, NEW.local_at)
        BEGIN
            \(removeFromMonth("OLD"))
            \(countInMonth("NEW"))
        END;

        INSERT INTO asset_months (owner, visibility, folder, day, count)
            SELECT owner, visibility, '', \(month("assets")), count(*) FROM assets
            WHERE \(isCounted("assets")) GROUP BY 1, 2, 4;
        INSERT INTO asset_months (owner, visibility, folder, day, count)
            SELECT owner, visibility, folder, \(month("assets")), count(*) FROM assets
            WHERE \(isCounted("assets")) GROUP BY 1, 2, 3, 4;
        """

    private static func countInMonth(_ row: String) -> String {
        """
        INSERT INTO asset_months (owner, visibility, folder, day, count)
            SELECT \(row).owner, \(row).visibility, column1, \(month(row)), 1 FROM (VALUES (''), (\(row).folder))
            WHERE \(isCounted(row)) ON CONFLICT DO UPDATE SET count = count + 1;
        """
    }

    private static func removeFromMonth(_ row: String) -> String {
        let isOfRow =
            """
            owner = \(row).owner AND visibility = \(row).visibility AND folder IN ('', \(row).folder)
                AND day = \(month(row)) AND \(isCounted(row))
            """
        return """
            UPDATE asset_months SET count = count - 1 WHERE \(isOfRow);
            DELETE FROM asset_months WHERE \(isOfRow) AND count = 0;
            """
    }

    private static func month(_ row: String) -> String { "strftime('%Y-%m-01', \(row).local_at / 1000, 'unixepoch')" }

    /// An SQL condition: whether a row of `assets` is in the timeline of its visibility. The other files of locked
    /// folders are in none.
    private static func isCounted(_ row: String) -> String {
        "(\(row).is_locked = 0 OR \(row).visibility = 'locked')"
    }

    /// An SQL condition: whether a row of `assets` is listed for its owner without an elevated session.
    private static func isListed(_ row: String) -> String {
        "(\(row).visibility = 'timeline' AND \(row).is_locked = 0)"
    }
}
