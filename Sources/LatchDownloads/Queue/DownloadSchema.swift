import Database

/// The tables of this module in the accounts database: the queue of downloads, and the index of downloaded files.
///
/// The versions up to 14 were versions of the whole file; those that are missing here are migrations of other tables.
enum DownloadSchema {
    static let schema = ModuleSchema(
        "downloads",
        migrations: [
            queue, counts, libraries, partIndex, comparedPartIndex, owner, libraryVersions, pauses, resumePoints,
            followed, held, accountCounts, states,
        ],
        continuesFile: true)

    /// The queue. A download belongs to an account and is removed with it.
    ///
    /// `path` is the final path of the file, stored before the file is moved there. `is_whole` means that the part file
    /// needs no more data from the server. `revision` increases with every command, so that the program that downloads
    /// notices commands of other programs.
    ///
    /// In a constraint or an index condition, SQLite builds a table from each list after `IN`, again for every row.
    /// Comparisons take a tenth of that time.
    private static let queue = Migration(
        to: 3, named: "the queue of downloads",
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

    /// Makes the queue's speed independent of its length. Triggers update counts of the downloads with every change.
    /// Frequent queries use partial indexes that contain only the rows they need.
    private static let counts = Migration(
        to: 6, named: "the counts of downloads",
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
    private static let partIndex = Migration(
        to: 8, named: "the parts of downloads that failed",
        """
        DROP INDEX downloads_parts;
        CREATE INDEX downloads_parts ON downloads (position)
            WHERE state IN ('waiting', 'running', 'paused') AND (resume IS NOT NULL OR is_whole = 1)
                OR state = 'failed' AND resume IS NOT NULL;
        """)

    /// Defines the index again with comparisons instead of a list after `IN`; see ``queue`` for the reason.
    private static let comparedPartIndex = Migration(
        to: 9, named: "the parts of downloads, compared",
        """
        DROP INDEX downloads_parts;
        CREATE INDEX downloads_parts ON downloads (position)
            WHERE (state = 'waiting' OR state = 'running' OR state = 'paused') AND (resume IS NOT NULL OR is_whole = 1)
                OR state = 'failed' AND resume IS NOT NULL;
        """)

    /// Gives this queue an id, so that its part files differ from those of another queue in the same folder. The
    /// other queue may belong to another person or device.
    private static let owner = Migration(
        to: 10, named: "the owner of download parts",
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
    private static let pauses = Migration(
        to: 12, named: "the pauses of downloads, and their folders",
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

    /// The index of downloaded files. It is kept when an account is removed, so that a person who signs in again does
    /// not download everything again.
    ///
    /// `key` is the id of an asset, which is unique across servers. `path` is relative to the folder.
    private static let libraries = Migration(
        to: 7, named: "the picture library",
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
    private static let libraryVersions = Migration(
        to: 11, named: "the versions of files in libraries",
        """
        ALTER TABLE library_files ADD COLUMN version TEXT;
        """)

    /// Earlier versions treated the modification time of a file that was only a second old as a strong validator.
    private static let resumePoints = Migration(
        to: 14, named: "resume points of new files removed",
        """
        UPDATE downloads SET resume = json_set(resume, '$.isTimeStrong', json('false')) WHERE resume ->> 'isTimeStrong';
        """)

    /// The libraries whose new pictures are downloaded in the background, as the JSON of `FollowedLibrary`.
    private static let followed = Migration(
        to: 15, named: "followed libraries",
        """
        CREATE TABLE followed_libraries (
            account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE, library TEXT NOT NULL
        ) STRICT;
        """)

    /// `is_held` means that a paused file was not paused by a person: its account was signed out or locked.
    private static let held = Migration(
        to: 16, named: "files that wait for an account",
        """
        ALTER TABLE downloads ADD COLUMN is_held INTEGER NOT NULL DEFAULT 0;
        """)

    /// Deletes the counts of an account with it. SQLite deletes the account's downloads before this trigger runs.
    ///
    /// Source: IM-11.
    private static let accountCounts = Migration(
        to: 17, named: "the counts of removed accounts",
        """
        DELETE FROM download_counts WHERE account NOT IN (SELECT id FROM accounts);
        CREATE TRIGGER download_counts_went AFTER DELETE ON accounts BEGIN
            DELETE FROM download_counts WHERE account = old.id;
        END;
        """)

    /// Finds failed, skipped and paused downloads at once, and stores whether the background program downloads on metered networks.
    ///
    /// Earlier versions stored a command of the terminal with the failures of a host that was waited for too long.
    private static let states = Migration(
        to: 18, named: "downloads by state, and metered networks",
        """
        CREATE INDEX downloads_failed ON downloads (position) WHERE state = 'failed';
        CREATE INDEX downloads_skipped ON downloads (position) WHERE state = 'skipped';
        CREATE INDEX downloads_paused ON downloads (position) WHERE state = 'paused';
        ALTER TABLE download_signals ADD COLUMN fetches_metered INTEGER NOT NULL DEFAULT 0;
        UPDATE downloads SET reason = replace(
            reason, 'When the server is back: latch downloads retry', 'Retry when the server is back.')
            WHERE state = 'failed';
        """)
}
