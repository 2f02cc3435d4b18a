package import Database

/// The tables of the gateway, as migrations, oldest first.
///
/// People have UUIDs. A session has a short public id, which may be shown, and the SHA-256 of its token; the token
/// itself is not stored. An ended session is kept for a while, so that its token can be distinguished from an unknown
/// one. `session_epoch` counts how often all sessions of a person were ended. A sign-in that was in progress at that
/// time has the old number and is not recorded. An identity belongs to a person at a provider. Its subject is unique
/// only together with the issuer, and the id of the provider in the configuration distinguishes two clients of one
/// issuer.
package enum Schema {
    /// `lstr`: marks the database file as one of this program; see `PRAGMA application_id`.
    package static let applicationID: Int32 = 0x6C73_7472

    package static let migrations = [
        Migration(
            to: 1, named: "people and sessions",
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
        // `is_vouched`: whether an administrator entered the address. Unknown, and therefore 0, for people from before
        // this migration.
        Migration(
            to: 2, named: "identities of providers",
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
        Migration(to: 3, named: "addresses of devices", "ALTER TABLE sessions ADD COLUMN device_address TEXT;"),
        // `parent_id` is the session that created this session. When it ends for any reason, this session ends too.
        Migration(
            to: 4, named: "PINs, passwords to be changed, sessions of sessions",
            """
            ALTER TABLE people ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE people ADD COLUMN avatar_color TEXT;

            CREATE TABLE pins (
                person_id TEXT NOT NULL PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
                hash TEXT NOT NULL,
                attempts INTEGER NOT NULL DEFAULT 0,
                lock_outs INTEGER NOT NULL DEFAULT 0,
                locked_until INTEGER
            ) STRICT;

            ALTER TABLE sessions ADD COLUMN parent_id TEXT;
            ALTER TABLE sessions ADD COLUMN elevated_until INTEGER;
            ALTER TABLE sessions ADD COLUMN app_version TEXT;
            ALTER TABLE sessions ADD COLUMN needs_full_sync INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE sessions ADD COLUMN provider TEXT;
            ALTER TABLE sessions ADD COLUMN provider_session TEXT;

            CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL AND ended_at IS NULL;

            CREATE TRIGGER sessions_end_with_parent AFTER UPDATE OF ended_at ON sessions
            WHEN NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL
            BEGIN
                UPDATE sessions SET ended_at = NEW.ended_at, end_reason = NEW.end_reason
                WHERE parent_id = NEW.id AND ended_at IS NULL;
            END;
            """),
        // Private keys are sealed with the gateway's key. Tokens that the key signed may be valid until `needed_until`.
        Migration(
            to: 5, named: "keys to sign tokens with",
            """
            CREATE TABLE signing_keys (
                id TEXT NOT NULL PRIMARY KEY,
                algorithm TEXT NOT NULL,
                public_key TEXT NOT NULL,
                sealed_key BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                signs_from INTEGER NOT NULL,
                needed_until INTEGER NOT NULL
            ) STRICT;
            """),
        Migration(
            to: 6, named: "groups of identities", "ALTER TABLE identities ADD COLUMN groups TEXT NOT NULL DEFAULT ''"),
        Migration(to: 7, named: "the picture library", pictureLibrary),
        Migration(
            to: 8, named: "keys of programs",
            """
            CREATE TABLE api_keys (
                id TEXT NOT NULL PRIMARY KEY,
                key_hash BLOB NOT NULL UNIQUE,
                person_id TEXT NOT NULL,
                name TEXT NOT NULL,
                scopes TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                last_used_at INTEGER,
                revoked_at INTEGER
            ) STRICT;

            CREATE INDEX live_api_keys_by_person ON api_keys (person_id) WHERE revoked_at IS NULL;
            CREATE INDEX revoked_api_keys ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
            """),
        // When the PIN was entered. An elevation from before this migration keeps its end and cannot be extended.
        Migration(to: 9, named: "when sessions were unlocked", "ALTER TABLE sessions ADD COLUMN elevated_at INTEGER;"),
        // For sessions from before this migration, the start of the session is used instead.
        Migration(
            to: 10, named: "when people showed who they are",
            "ALTER TABLE sessions ADD COLUMN authenticated_at INTEGER"),
        // `uuid` is derived from `id`, for clients that need a UUID. It is null for sessions that are older than this
        // column. People without a password have no password to change, so `must_change_password` is reset for them.
        Migration(
            to: 11, named: "keys that expire, sessions by provider, sign-outs at providers",
            """
            ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
            ALTER TABLE sessions ADD COLUMN uuid TEXT;

            CREATE INDEX sessions_by_uuid ON sessions (uuid) WHERE uuid IS NOT NULL;
            CREATE INDEX sessions_by_provider ON sessions (provider, provider_session)
                WHERE provider_session IS NOT NULL;

            CREATE TABLE provider_sign_outs (
                id BLOB NOT NULL PRIMARY KEY,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX provider_sign_outs_by_expiry ON provider_sign_outs (expires_at);

            UPDATE people SET must_change_password = 0 WHERE password_hash IS NULL;
            """),
        // Identities that signed in at a provider and are not linked to a person, for administrators to link. Ids are
        // never reused.
        Migration(
            to: 12, named: "identities that are nobody's",
            """
            CREATE TABLE unlinked_identities (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                provider TEXT NOT NULL,
                issuer TEXT NOT NULL,
                subject TEXT NOT NULL,
                email TEXT,
                name TEXT,
                seen_at INTEGER NOT NULL,
                UNIQUE (provider, issuer, subject)
            ) STRICT;

            CREATE TRIGGER identities_become_linked AFTER INSERT ON identities
            BEGIN
                DELETE FROM unlinked_identities
                WHERE provider = NEW.provider AND issuer = NEW.issuer AND subject = NEW.subject;
            END;
            """),
        // `signed_out_at` is set whenever `session_epoch` increases, unless the identities are deleted at the same
        // time. It is null for people who were not signed out everywhere since this migration. `parent_id` is the key
        // that created the key.
        Migration(
            to: 13, named: "when people were signed out everywhere, keys of keys",
            """
            ALTER TABLE people ADD COLUMN signed_out_at INTEGER;
            ALTER TABLE api_keys ADD COLUMN parent_id TEXT;

            CREATE INDEX api_keys_by_parent ON api_keys (parent_id) WHERE parent_id IS NOT NULL;
            """),
        // Used when `bridge.codes` is `database`. `digest` is the SHA-256 of a code.
        Migration(
            to: 14, named: "one-time codes",
            """
            CREATE TABLE one_time_codes (
                digest BLOB NOT NULL PRIMARY KEY,
                record BLOB NOT NULL,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE INDEX one_time_codes_by_expiry ON one_time_codes (expires_at);
            """),
        Migration(to: 15, named: "changes of the picture library", pictureChanges),
        Migration(to: 16, named: "months of the picture library", pictureMonths),
        Migration(to: 17, named: "what several gateways share", sharedState),
        Migration(to: 18, named: "clients and their tokens", clients),
        Migration(to: 19, named: "devices without a browser", devices),
        Migration(to: 20, named: "tokens that are bound to keys", proofs),
        Migration(to: 21, named: "keys and registrations of clients, how people authenticated", clientKeys),
        Migration(
            to: 22, named: "access tokens of added clients",
            "ALTER TABLE clients ADD COLUMN access_tokens TEXT NOT NULL DEFAULT 'opaque';"),
        Migration(to: 23, named: "how people must authenticate for devices", deviceRequirements),
        Migration(to: 24, named: "sign-outs of clients that are removed", removedSignOuts),
        Migration(to: 25, named: "addresses of registrations and devices", addressKeys),
        Migration(to: 26, named: "what administrators decide about clients", clientSettings),
        Migration(to: 27, named: "whose requests wait", waitingRequests),
        Migration(to: 28, named: "sign-outs by client", signOutsByClient),
        Migration(to: 29, named: "banned addresses", bans),
        Migration(to: 30, named: "bounds of what people and clients add", bounds),
        // The name that the person saw. It is null for what was allowed before this migration.
        Migration(
            to: 31, named: "names of clients that people allowed",
            "ALTER TABLE client_consents ADD COLUMN client_name TEXT"),
        Migration(to: 32, named: "addresses from which people signed in", knownAddresses),
        Migration(to: 33, named: "whose sign-outs are stored", providerSignOuts),
        // Which scopes and addresses the person allowed together. It is empty for what was allowed before this migration.
        Migration(
            to: 34, named: "grants as people allowed them",
            "ALTER TABLE client_consents ADD COLUMN grants TEXT NOT NULL DEFAULT ''"),
        // `owner` is the hash of who signed in. It is null for codes of gateways of the version before.
        Migration(
            to: 35, named: "whose one-time codes are stored",
            """
            ALTER TABLE one_time_codes ADD COLUMN owner BLOB;
            ALTER TABLE one_time_codes ADD COLUMN stored_at INTEGER NOT NULL DEFAULT 0;
            \(codeIndexes)
            """),
        // Whether a provider links accounts by address, or did so when it was last configured.
        Migration(
            to: 36, named: "which providers prove an address",
            """
            CREATE TABLE provider_trust (
                provider TEXT NOT NULL,
                issuer TEXT NOT NULL,
                links_by_email INTEGER NOT NULL,
                PRIMARY KEY (provider, issuer)
            ) STRICT, WITHOUT ROWID;
            """),
        // `allowed_in` is the session in which the person allowed a client or device to have this one.
        Migration(
            to: 37, named: "in which sessions others were allowed",
            """
            ALTER TABLE sessions ADD COLUMN allowed_in TEXT;
            \(allowedInBrowsers)
            """),
    ]

    /// Stores for each client's session where it was allowed, for one that was allowed in a created session the one that that
    /// was created from, and creates the index of that.
    static let allowedInBrowsers =
        """
        UPDATE sessions SET allowed_in = coalesce(b.parent_id, c.browser_id)
        FROM client_sessions c LEFT JOIN sessions b ON b.id = c.browser_id WHERE c.session_id = sessions.id;

        CREATE INDEX sessions_by_allowed ON sessions (allowed_in) WHERE allowed_in IS NOT NULL;
        """

    /// The indexes of the codes by the time at which they were stored.
    static let codeIndexes =
        """
        CREATE INDEX one_time_codes_by_age ON one_time_codes (stored_at, expires_at);
        CREATE INDEX one_time_codes_by_owner ON one_time_codes (owner, stored_at, expires_at)
            WHERE owner IS NOT NULL;
        """
}
