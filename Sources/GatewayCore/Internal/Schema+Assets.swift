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
}
