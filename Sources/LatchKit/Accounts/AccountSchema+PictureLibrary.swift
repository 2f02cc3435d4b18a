import Database

extension AccountSchema {
    /// The index of downloaded files, for LatchDownloads. It is kept when an account is removed, so that a person who signs in
    /// again does not download everything again.
    ///
    /// `key` is an asset's id, which no other server has too; `path` is below the folder.
    static let pictureLibrary = Migration(
        7, "the library of pictures",
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

    /// By what a file that was fetched by its address is known to be another on the server since.
    static let libraryVersions = Migration(
        11, "the versions of files in libraries",
        """
        ALTER TABLE library_files ADD COLUMN version TEXT;
        """)
}
