import Database

extension AccountSchema {
    /// Makes the queue's speed independent of its length. Triggers update counts of the downloads with every change.
    /// Frequent queries use partial indexes that contain only the rows they need.
    static let downloadCounts = Migration(
        6, "the counts of downloads",
        """
        DROP INDEX downloads_lanes;
        CREATE INDEX downloads_waiting ON downloads (host, grp) WHERE state = 'waiting';
        CREATE INDEX downloads_later ON downloads (not_before) WHERE state = 'waiting' AND not_before > 0;
        CREATE INDEX downloads_running ON downloads (state) WHERE state = 'running';
        CREATE INDEX downloads_parts ON downloads (position)
            WHERE state IN ('waiting', 'running', 'paused') AND (resume IS NOT NULL OR is_whole = 1);
        CREATE TABLE download_counts (
            state TEXT NOT NULL,
            host TEXT NOT NULL,
            grp TEXT NOT NULL,
            account TEXT NOT NULL,
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            sized INTEGER NOT NULL,
            PRIMARY KEY (state, host, grp, account)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO download_counts
            SELECT state, host, grp, account, count(*), coalesce(sum(size), 0), count(size) FROM downloads
            GROUP BY state, host, grp, account;
        CREATE TRIGGER downloads_came AFTER INSERT ON downloads BEGIN
            INSERT INTO download_counts
                VALUES (new.state, new.host, new.grp, new.account, 1, coalesce(new.size, 0), new.size IS NOT NULL)
                ON CONFLICT DO UPDATE
                SET count = count + 1, bytes = bytes + excluded.bytes, sized = sized + excluded.sized;
        END;
        CREATE TRIGGER downloads_went AFTER DELETE ON downloads BEGIN
            UPDATE download_counts
                SET count = count - 1, bytes = bytes - coalesce(old.size, 0), sized = sized - (old.size IS NOT NULL)
                WHERE state = old.state AND host = old.host AND grp = old.grp AND account = old.account;
        END;
        CREATE TRIGGER downloads_changed AFTER UPDATE OF state, host, grp, account, size ON downloads
            WHEN old.state <> new.state OR old.size IS NOT new.size OR old.host <> new.host OR old.grp <> new.grp
                OR old.account <> new.account
        BEGIN
            UPDATE download_counts
                SET count = count - 1, bytes = bytes - coalesce(old.size, 0), sized = sized - (old.size IS NOT NULL)
                WHERE state = old.state AND host = old.host AND grp = old.grp AND account = old.account;
            INSERT INTO download_counts
                VALUES (new.state, new.host, new.grp, new.account, 1, coalesce(new.size, 0), new.size IS NOT NULL)
                ON CONFLICT DO UPDATE
                SET count = count + 1, bytes = bytes + excluded.bytes, sized = sized + excluded.sized;
        END;
        """)

    /// Includes failed downloads in the index of part files, because they may have a part file too.
    static let downloadParts = Migration(
        8, "the parts of downloads that failed",
        """
        DROP INDEX downloads_parts;
        CREATE INDEX downloads_parts ON downloads (position)
            WHERE state IN ('waiting', 'running', 'paused') AND (resume IS NOT NULL OR is_whole = 1)
                OR state = 'failed' AND resume IS NOT NULL;
        """)

    /// Defines the index again with comparisons instead of a list after `IN`; see ``downloads`` for the reason.
    static let downloadPartsCompared = Migration(
        9, "the parts of downloads, compared",
        """
        DROP INDEX downloads_parts;
        CREATE INDEX downloads_parts ON downloads (position)
            WHERE (state = 'waiting' OR state = 'running' OR state = 'paused') AND (resume IS NOT NULL OR is_whole = 1)
                OR state = 'failed' AND resume IS NOT NULL;
        """)

    /// Gives this queue an id, so that its part files differ from those of another queue in the same folder. The
    /// other queue may belong to another person or device.
    static let downloadOwner = Migration(
        10, "the owner of download parts",
        """
        CREATE TABLE download_owner (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT;
        INSERT INTO download_owner VALUES (1, lower(hex(randomblob(4))));
        """)

    /// Adds the pauses of hosts and the folders of accounts.
    ///
    /// - `download_pauses`: which hosts are paused, until when and why.
    /// - `libraries.is_made`: whether the folder of a library was created, so that a missing folder is detected.
    /// - `download_signals.rested`: when a task last had to wait, so that a clock that was set back is detected.
    /// - `download_folders`: the folder that was last chosen for each account. The key is the server and e-mail
    ///   address, so that it is still known after a sign-out and a new sign-in.
    static let downloadPauses = Migration(
        12, "the pauses of downloads, and their folders",
        """
        CREATE TABLE download_pauses (
            host TEXT PRIMARY KEY,
            until INTEGER NOT NULL,
            reason TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE libraries ADD COLUMN is_made INTEGER NOT NULL DEFAULT 0;
        UPDATE libraries SET is_made = 1;
        ALTER TABLE download_signals ADD COLUMN rested INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE download_folders (
            server_url TEXT NOT NULL,
            user_email TEXT NOT NULL,
            folder TEXT NOT NULL,
            PRIMARY KEY (server_url, user_email)
        ) STRICT, WITHOUT ROWID;
        """)
}
