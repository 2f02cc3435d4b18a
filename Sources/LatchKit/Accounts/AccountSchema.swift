import Database
import FoundationEssentials
import HTTPMessages

/// The schema of the accounts database, `$XDG_DATA_HOME/latchstring/latchstring.db`.
///
/// `stage` distinguishes complete rows from those that a crash left incomplete:
/// - `pending`: a sign-in has begun. The secret store may contain its token.
/// - `in`: complete, with a token.
/// - `out`: complete, without a token.
/// - `wiping`: the session has ended. The secret store may still contain its token.
/// - `leaving`: the account is being removed. The secret store may still contain its token.
enum AccountSchema {
    /// The application id in the file's header: "LaSt" in ASCII.
    static let applicationID: Int32 = 0x4C61_5374

    static let migrations = [
        Migration(
            to: 1, named: "accounts",
            """
            CREATE TABLE accounts (
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                display_name TEXT NOT NULL,
                server_url TEXT NOT NULL,
                user_email TEXT NOT NULL,
                api_key_id TEXT,
                scopes TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                last_used_at INTEGER NOT NULL,
                is_active INTEGER NOT NULL DEFAULT 0 CHECK (is_active IN (0, 1)),
                dialect TEXT NOT NULL,
                connection TEXT NOT NULL DEFAULT '{}',
                stage TEXT NOT NULL CHECK (stage IN ('pending', 'in', 'out', 'wiping', 'leaving')),
                ended_because TEXT,
                generation INTEGER NOT NULL DEFAULT 0,
                attempts INTEGER NOT NULL DEFAULT 0,
                failure_code TEXT,
                failure_message TEXT,
                refresh_after INTEGER NOT NULL DEFAULT 0,
                expires_at INTEGER,
                CHECK (is_active = 0 OR stage IN ('in', 'out', 'wiping'))
            ) STRICT;
            CREATE UNIQUE INDEX accounts_one_active ON accounts (is_active) WHERE is_active = 1;
            CREATE UNIQUE INDEX accounts_one_each ON accounts (server_url, user_email, dialect) WHERE stage <> 'leaving';
            """),
        Migration(
            to: 2, named: "server details",
            """
            ALTER TABLE accounts ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
            ALTER TABLE accounts ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0
                CHECK (must_change_password IN (0, 1));
            """),
        // Keys that may be orphaned on a server. A key is identified by its id, or by its name while the id is not
        // known. It is orphaned unless the account still uses it.
        Migration(
            to: 4, named: "orphaned keys",
            """
            CREATE TABLE leftover_keys (
                server_url TEXT NOT NULL,
                user_email TEXT NOT NULL,
                dialect TEXT NOT NULL,
                key_id TEXT,
                name TEXT,
                noted_at INTEGER NOT NULL,
                CHECK ((key_id IS NULL) <> (name IS NULL))
            ) STRICT;
            CREATE UNIQUE INDEX leftover_keys_once
                ON leftover_keys (server_url, user_email, dialect, coalesce(key_id, name));
            """),
        Migration(
            to: 5, named: "the device's id",
            """
            CREATE TABLE device (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT;
            """),
        Migration(
            to: 13, named: "the server that was found last",
            """
            CREATE TABLE found_server (
                one INTEGER PRIMARY KEY CHECK (one = 1), server_url TEXT NOT NULL, found_at INTEGER NOT NULL
            ) STRICT;
            """),
        // Other modules keep tables in this file, with versions of their own. The missing numbers were theirs.
        Migration(to: 15, named: "the versions of modules", ModuleSchema.versionsTable),
        // Other addresses of an account's server, as the JSON of `EndpointSettings`.
        Migration(
            to: 16, named: "endpoints",
            """
            CREATE TABLE endpoints (
                account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE, settings TEXT NOT NULL
            ) STRICT;
            """),
        // `picture_version` is the version of the profile picture that the server announced last.
        Migration(
            to: 17, named: "the person and the first sync",
            """
            ALTER TABLE accounts ADD COLUMN person_id TEXT;
            ALTER TABLE accounts ADD COLUMN picture_version TEXT;
            CREATE TABLE profile_pictures (
                account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
                version TEXT NOT NULL,
                picture BLOB NOT NULL
            ) STRICT;
            CREATE TABLE first_syncs (
                account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
                server_version TEXT,
                albums INTEGER,
                photographs INTEGER,
                videos INTEGER,
                finished_at INTEGER NOT NULL,
                marker INTEGER NOT NULL
            ) STRICT;
            """),
    ]

    static let columns = """
        id, display_name, server_url, user_email, api_key_id, scopes, created_at, last_used_at, is_active, dialect, \
        stage, ended_because, details, must_change_password, position, person_id
        """

    static let visible = "stage IN ('in', 'out', 'wiping')"

    /// Reads an account from ``columns``.
    static let account: @Sendable (SQLRow) throws(DatabaseError) -> Account = { row throws(DatabaseError) in
        let address: String = try row.get(2)
        guard let server = try? ServerAddress(address) else {
            throw DatabaseError(
                .unexpectedValue, "The accounts database contains an invalid server address. Remove that account.")
        }
        let scopes: String = try row.get(5)
        var account = Account(
            id: try row.get(0), displayName: try row.get(1), serverURL: server, userEmail: try row.get(3),
            apiKeyID: try row.get(4),
            scopes: (try? JSON.decode([String].self, from: Array(scopes.utf8))) ?? [], createdAt: try row.get(6),
            lastUsedAt: try row.get(7), dialect: DialectID(rawValue: try row.get(9)))
        account.isActive = try row.get(8)
        let stage: String = try row.get(10)
        account.isSignedIn = stage == "in"
        account.endedBecause = try row.get(11)
        account.details = details(try row.get(12))
        account.mustChangePassword = try row.get(13)
        account.number = try row.get(14)
        account.personID = try row.get(15)
        return account
    }

    /// Reads an account from ``columns``. An unreadable account does not hide the others.
    static let row: @Sendable (SQLRow) throws(DatabaseError) -> AccountRow = { row throws(DatabaseError) in
        let address: String = try row.get(2)
        if (try? ServerAddress(address)) != nil { return .account(try account(row)) }
        return .unreadable(UnreadableAccount(id: try row.get(0), address: address, userEmail: try row.get(3)))
    }

    static func text(_ scopes: [String]) -> String {
        String(decoding: JSON.encode(scopes), as: UTF8.self)
    }

    static func text(_ details: [String: String]) -> String {
        String(decoding: JSON.encode(details), as: UTF8.self)
    }

    static func details(_ text: String) -> [String: String] {
        (try? JSON.decode([String: String].self, from: Array(text.utf8))) ?? [:]
    }
}
