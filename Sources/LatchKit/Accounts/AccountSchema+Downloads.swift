import Database

extension AccountSchema {
    /// The download queue of LatchDownloads. A download belongs to an account and is removed with it.
    ///
    /// `path` is the final path of the file, stored before the file is moved there. `is_whole` means that the part file
    /// needs no more data from the server. `revision` increases with every command, so that the program that downloads
    /// notices commands of other programs.
    ///
    /// In a constraint or an index condition, SQLite builds a table from each list after `IN`, again for every row.
    /// Comparisons take a tenth of that time.
    static let downloads = Migration(
        3, "the queue of downloads",
        """
        CREATE TABLE downloads (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL,
            account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            host TEXT NOT NULL,
            grp TEXT NOT NULL,
            url TEXT NOT NULL,
            headers TEXT NOT NULL,
            filename TEXT NOT NULL,
            wants_progress INTEGER NOT NULL,
            metadata TEXT NOT NULL,
            size INTEGER,
            live_id TEXT,
            state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'done' OR state = 'paused'
                OR state = 'skipped' OR state = 'failed'),
            reason TEXT,
            attempts INTEGER NOT NULL DEFAULT 0,
            not_before INTEGER NOT NULL DEFAULT 0,
            resume TEXT,
            boot TEXT,
            is_whole INTEGER NOT NULL DEFAULT 0,
            path TEXT,
            UNIQUE (account, id)
        ) STRICT;
        CREATE INDEX downloads_lanes ON downloads (state, host, grp, position);
        CREATE INDEX downloads_pairs ON downloads (account, live_id) WHERE live_id IS NOT NULL;
        CREATE TABLE download_signals (revision INTEGER NOT NULL) STRICT;
        INSERT INTO download_signals VALUES (0);
        """)
}
