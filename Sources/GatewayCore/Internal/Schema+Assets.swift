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

    /// An SQL condition: whether a row of `assets` is listed for its owner without an elevated session.
    private static func isListed(_ row: String) -> String {
        "(\(row).visibility = 'timeline' AND \(row).is_locked = 0)"
    }
}
