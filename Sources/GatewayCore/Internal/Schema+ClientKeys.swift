extension Schema {
    /// The keys of clients, their sign-outs, the ids of the statements that they have signed, and clients that
    /// registered themselves.
    ///
    /// `methods` is how the person authenticated, if that is known and was not only with the password of this server.
    /// `key_set` is a JSON Web Key Set of public keys. The three columns after it are null for a client that an
    /// administrator added. `browser_id` is the session of the browser in which a client's session began. The trigger
    /// adds the sessions whose client must be told, when one of the two ends. `digest` is the SHA-256 of a client's id
    /// and the id of a statement.
    static let clientKeys =
        """
        ALTER TABLE sessions ADD COLUMN methods TEXT;
        ALTER TABLE clients ADD COLUMN key_set TEXT;
        ALTER TABLE clients ADD COLUMN registration_hash BLOB;
        ALTER TABLE clients ADD COLUMN registration_method TEXT;
        ALTER TABLE clients ADD COLUMN last_used_at INTEGER;
        ALTER TABLE clients ADD COLUMN sign_out_redirects TEXT NOT NULL DEFAULT '';
        ALTER TABLE clients ADD COLUMN sign_out_address TEXT;
        ALTER TABLE client_sessions ADD COLUMN browser_id TEXT;
        ALTER TABLE client_sessions ADD COLUMN is_told INTEGER NOT NULL DEFAULT 0;

        CREATE INDEX client_sessions_by_browser ON client_sessions (browser_id) WHERE is_told = 1;

        CREATE TABLE client_sign_outs (
            session_id TEXT NOT NULL PRIMARY KEY,
            client_id TEXT NOT NULL,
            person_id TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            next_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX client_sign_outs_by_time ON client_sign_outs (next_at);

        CREATE TRIGGER clients_are_told_of_ends AFTER UPDATE OF ended_at ON sessions
        WHEN NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL
        BEGIN
            INSERT INTO client_sign_outs (session_id, client_id, person_id, attempts, next_at)
            SELECT session_id, client_id, NEW.person_id, 0, NEW.ended_at FROM client_sessions
            WHERE is_told = 1 AND session_id = NEW.id
            UNION SELECT session_id, client_id, NEW.person_id, 0, NEW.ended_at FROM client_sessions
            WHERE is_told = 1 AND browser_id = NEW.id
            ON CONFLICT (session_id) DO NOTHING;
        END;

        CREATE TABLE client_assertions (
            digest BLOB NOT NULL PRIMARY KEY,
            record BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX client_assertions_by_expiry ON client_assertions (expires_at);
        """

    /// The addresses that clients register themselves and devices ask from, as the bytes of an ``AddressKey``. Null in
    /// rows from before this migration.
    static let addressKeys =
        """
        ALTER TABLE clients ADD COLUMN registration_address BLOB;
        ALTER TABLE device_requests ADD COLUMN address_key BLOB;
        """

    /// The same as ``addressKeys`` in PostgreSQL.
    static let serverAddressKeys =
        """
        ALTER TABLE clients ADD COLUMN registration_address BYTEA;
        ALTER TABLE device_requests ADD COLUMN address_key BYTEA;
        """

    /// The same as ``clientKeys`` in PostgreSQL.
    static let serverClientKeys =
        """
        ALTER TABLE sessions ADD COLUMN methods \(text);
        ALTER TABLE clients ADD COLUMN key_set \(text);
        ALTER TABLE clients ADD COLUMN registration_hash BYTEA;
        ALTER TABLE clients ADD COLUMN registration_method \(text);
        ALTER TABLE clients ADD COLUMN last_used_at BIGINT;
        ALTER TABLE clients ADD COLUMN sign_out_redirects \(text) NOT NULL DEFAULT '';
        ALTER TABLE clients ADD COLUMN sign_out_address \(text);
        ALTER TABLE client_sessions ADD COLUMN browser_id \(text);
        ALTER TABLE client_sessions ADD COLUMN is_told BOOLEAN NOT NULL DEFAULT FALSE;
        CREATE INDEX client_sessions_by_browser ON client_sessions (browser_id) WHERE is_told;

        CREATE TABLE client_sign_outs (
            session_id \(text) PRIMARY KEY,
            client_id \(text) NOT NULL,
            person_id \(text) NOT NULL,
            attempts BIGINT NOT NULL,
            next_at BIGINT NOT NULL
        );
        CREATE INDEX client_sign_outs_by_time ON client_sign_outs (next_at);

        CREATE FUNCTION clients_are_told_of_ends() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO client_sign_outs (session_id, client_id, person_id, attempts, next_at)
            SELECT session_id, client_id, NEW.person_id, 0, NEW.ended_at FROM client_sessions
            WHERE is_told AND session_id = NEW.id
            UNION SELECT session_id, client_id, NEW.person_id, 0, NEW.ended_at FROM client_sessions
            WHERE is_told AND browser_id = NEW.id
            ON CONFLICT (session_id) DO NOTHING;
            RETURN NULL;
        END $$;
        CREATE TRIGGER clients_are_told_of_ends AFTER UPDATE OF ended_at ON sessions
            FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL)
            EXECUTE FUNCTION clients_are_told_of_ends();

        CREATE TABLE client_assertions (digest BYTEA PRIMARY KEY, record BYTEA NOT NULL, expires_at BIGINT NOT NULL);
        CREATE INDEX client_assertions_by_expiry ON client_assertions (expires_at);
        """

    /// The address of a stored client, so that a client that is removed can be told that its sessions ended. It is null
    /// for a client of the configuration.
    static let removedSignOuts =
        """
        ALTER TABLE client_sign_outs ADD COLUMN address TEXT;
        DROP TRIGGER clients_are_told_of_ends;

        CREATE TRIGGER clients_are_told_of_ends AFTER UPDATE OF ended_at ON sessions
        WHEN NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL
        BEGIN
            INSERT INTO client_sign_outs (session_id, client_id, person_id, attempts, next_at, address)
            \(endedSessions("is_told = 1"))
            ON CONFLICT (session_id) DO NOTHING;
        END;
        """

    /// The same as ``removedSignOuts`` in PostgreSQL.
    static let serverRemovedSignOuts =
        """
        ALTER TABLE client_sign_outs ADD COLUMN address \(text);

        CREATE OR REPLACE FUNCTION clients_are_told_of_ends() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO client_sign_outs (session_id, client_id, person_id, attempts, next_at, address)
            \(endedSessions("is_told"))
            ON CONFLICT (session_id) DO NOTHING;
            RETURN NULL;
        END $$;
        """

    /// The queue of each client, in both kinds of databases.
    static let signOutsByClient =
        "CREATE INDEX client_sign_outs_by_client ON client_sign_outs (client_id, next_at);"

    /// Selects what the trigger adds when the session `NEW` ends: that session, and those that began in it. The two
    /// parts have an index each.
    private static func endedSessions(_ isTold: String) -> String {
        ["session_id", "browser_id"].map { column in
            """
            SELECT session_id, client_id, NEW.person_id, 0, NEW.ended_at,
                (SELECT sign_out_address FROM clients WHERE id = client_id)
            FROM client_sessions WHERE \(isTold) AND \(column) = NEW.id
            """
        }.joined(separator: " UNION ")
    }
}
