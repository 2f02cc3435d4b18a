import Database

/// The gateway's tables, oldest change first.
///
/// People have UUIDs. A session has a short public id, which may be shown, and the SHA-256 of its token, which is all
/// that is kept of it. An ended session stays for a while, so that its token is told apart from one never seen.
/// `session_epoch` counts the times that all of a person's sessions were ended: a sign-in that was under way at such a
/// moment carries the old number and is not recorded. An identity is a person's at a provider: the subject means something
/// together with the issuer only, and the provider's id in the configuration keeps two clients of one issuer apart.
enum Schema {
    /// `lstr`: marks the file as one of ours, see `PRAGMA application_id`.
    static let applicationID: Int32 = 0x6C73_7472

    static let migrations = [
        Migration(
            1, "people and sessions",
            """
            CREATE TABLE people (
                id TEXT NOT NULL PRIMARY KEY,
                email TEXT NOT NULL UNIQUE,
                name TEXT,
                password_hash TEXT,
                is_admin INTEGER NOT NULL DEFAULT 0,
                is_verified INTEGER NOT NULL DEFAULT 0,
                created_at INTEGER NOT NULL,
                disabled_at INTEGER,
                session_epoch INTEGER NOT NULL DEFAULT 0
            ) STRICT;

            CREATE TABLE sessions (
                id TEXT NOT NULL UNIQUE,
                token_hash BLOB NOT NULL UNIQUE,
                person_id TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                last_used_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                cap_at INTEGER NOT NULL,
                device_name TEXT,
                device_kind TEXT,
                ended_at INTEGER,
                end_reason TEXT
            ) STRICT;

            CREATE INDEX sessions_by_person ON sessions (person_id) WHERE ended_at IS NULL;
            CREATE INDEX live_sessions_by_expiry ON sessions (expires_at) WHERE ended_at IS NULL;
            CREATE INDEX ended_sessions ON sessions (ended_at) WHERE ended_at IS NOT NULL;
            """),
        // Whether an administrator gave the address. Of people from before that is not known.
        Migration(
            2, "identities of providers",
            """
            ALTER TABLE people ADD COLUMN is_vouched INTEGER NOT NULL DEFAULT 0;

            CREATE TABLE identities (
                provider TEXT NOT NULL,
                issuer TEXT NOT NULL,
                subject TEXT NOT NULL,
                person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
                email TEXT,
                linked_at INTEGER NOT NULL,
                PRIMARY KEY (provider, issuer, subject)
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX identities_by_person ON identities (person_id);
            """),
        Migration(3, "addresses of devices", "ALTER TABLE sessions ADD COLUMN device_address TEXT;"),
    ]
}
