import Database

extension AccountSchema {
    /// The index of downloaded files, for LatchDownloads. It is kept when an account is removed, so that a person who
    /// signs in again does not download everything again.
    ///
    /// `key` is the id of an asset, which is unique across servers. `path` is relative to the folder.
    static let pictureLibrary = Migration(
        7, "the picture library",
        """
        CREATE TABLE libraries (
            folder TEXT PRIMARY KEY,
            layout TEXT NOT NULL,
            motion_photos INTEGER NOT NULL,
            used INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE library_files (
            folder TEXT NOT NULL,
            key TEXT NOT NULL,
            path TEXT NOT NULL,
            sha1 BLOB,
            PRIMARY KEY (folder, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX library_files_paths ON library_files (folder, path);
        """)

    /// The version of a file that was downloaded by its address. It shows whether the file has changed on the server
    /// since.
    static let libraryVersions = Migration(
        11, "the versions of files in libraries",
        """
        ALTER TABLE library_files ADD COLUMN version TEXT;
        """)
}
