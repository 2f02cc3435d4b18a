extension Schema {
    /// The clients of OAuth, what each person allowed them, and their sessions and tokens.
    ///
    /// A client's session is a row of `sessions` whose `token_hash` belongs to no token. `generation` is the number of the
    /// session's current refresh token, and `refresh_hash` its hash. After a refresh, `next_hash` is the hash of its
    /// successor until that is first used, and `next_answer` the response, sealed with the current refresh token.
    static let clients =
        """
        CREATE TABLE clients (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            secret_hash BLOB,
            redirects TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE client_consents (
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL,
            scopes TEXT NOT NULL,
            audience TEXT NOT NULL,
            granted_at INTEGER NOT NULL,
            PRIMARY KEY (person_id, client_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE client_sessions (
            session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL,
            scopes TEXT NOT NULL,
            audience TEXT NOT NULL,
            generation INTEGER NOT NULL,
            refresh_hash BLOB NOT NULL,
            next_hash BLOB,
            next_answer BLOB
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX client_sessions_by_client ON client_sessions (client_id);

        CREATE TABLE access_tokens (
            token_hash BLOB NOT NULL PRIMARY KEY,
            session_id TEXT NOT NULL REFERENCES client_sessions (session_id) ON DELETE CASCADE,
            generation INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE pending_requests (
            digest BLOB NOT NULL PRIMARY KEY,
            record BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX pending_requests_by_expiry ON pending_requests (expires_at);
        CREATE INDEX access_tokens_by_session ON access_tokens (session_id);
        CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);
        """

    /// The same tables as ``clients`` in PostgreSQL.
    static let serverClients =
        """
        CREATE TABLE clients (
            id \(text) PRIMARY KEY,
            name \(text) NOT NULL,
            secret_hash BYTEA,
            redirects \(text) NOT NULL,
            created_at BIGINT NOT NULL
        );

        CREATE TABLE client_consents (
            person_id \(text) NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            client_id \(text) NOT NULL,
            scopes \(text) NOT NULL,
            audience \(text) NOT NULL,
            granted_at BIGINT NOT NULL,
            PRIMARY KEY (person_id, client_id)
        );

        CREATE TABLE client_sessions (
            session_id \(text) PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
            client_id \(text) NOT NULL,
            scopes \(text) NOT NULL,
            audience \(text) NOT NULL,
            generation BIGINT NOT NULL,
            refresh_hash BYTEA NOT NULL,
            next_hash BYTEA,
            next_answer BYTEA
        );
        CREATE INDEX client_sessions_by_client ON client_sessions (client_id);

        CREATE TABLE access_tokens (
            token_hash BYTEA PRIMARY KEY,
            session_id \(text) NOT NULL REFERENCES client_sessions (session_id) ON DELETE CASCADE,
            generation BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        );
        CREATE TABLE pending_requests (digest BYTEA PRIMARY KEY, record BYTEA NOT NULL, expires_at BIGINT NOT NULL);
        CREATE INDEX pending_requests_by_expiry ON pending_requests (expires_at);

        CREATE INDEX access_tokens_by_session ON access_tokens (session_id);
        CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);
        """

    /// What administrators decide about clients: `settings` is the text of ``ClientSettings``, empty for the defaults, and
    /// `approval` a ``ClientApproval``, which only clients that registered themselves need.
    static let clientSettings =
        """
        ALTER TABLE clients ADD COLUMN settings TEXT NOT NULL DEFAULT '';
        ALTER TABLE clients ADD COLUMN approval TEXT NOT NULL DEFAULT 'approved';
        """

    /// The same as ``clientSettings`` in PostgreSQL.
    static let serverClientSettings =
        """
        ALTER TABLE clients ADD COLUMN settings \(text) NOT NULL DEFAULT '';
        ALTER TABLE clients ADD COLUMN approval \(text) NOT NULL DEFAULT 'approved';
        """

    /// Whose share a waiting request takes: `kind` is `address` or `client`.
    static let waitingRequests =
        """
        ALTER TABLE pending_requests ADD COLUMN kind TEXT NOT NULL DEFAULT 'address';
        ALTER TABLE pending_requests ADD COLUMN owner BLOB NOT NULL DEFAULT x'';
        """

    /// The same as ``waitingRequests`` in PostgreSQL.
    static let serverWaitingRequests =
        """
        ALTER TABLE pending_requests ADD COLUMN kind \(text) NOT NULL DEFAULT 'address';
        ALTER TABLE pending_requests ADD COLUMN owner BYTEA NOT NULL DEFAULT '';
        """
}
