import Database

extension AccountSchema {
    /// The queue of downloads, for LatchDownloads: it belongs to the accounts, and goes with them.
    ///
    /// `path` is where the file is to be, noted before it is put there; `is_whole` says that the part needs nothing more from
    /// the server. `revision` grows with every command, so that the program that fetches sees another's. In a constraint, and in
    /// an index's condition, SQLite makes a table of each list after `IN`, for every row anew: comparisons take a tenth of that.
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
