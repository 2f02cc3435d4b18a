extension Schema {
    /// The keys of clients, the ids of the statements that they have signed, and clients that registered themselves.
    ///
    /// `key_set` is a JSON Web Key Set of public keys. The three columns after it are null for a client that an
    /// administrator added. `digest` is the SHA-256 of a client's id and the id of a statement.
    static let clientKeys =
        """
        ALTER TABLE clients ADD COLUMN key_set TEXT;
        ALTER TABLE clients ADD COLUMN registration_hash BLOB;
        ALTER TABLE clients ADD COLUMN registration_method TEXT;
        ALTER TABLE clients ADD COLUMN last_used_at INTEGER;

        CREATE TABLE client_assertions (
            digest BLOB NOT NULL PRIMARY KEY,
            record BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX client_assertions_by_expiry ON client_assertions (expires_at);
        """

    /// The same as ``clientKeys`` in PostgreSQL.
    static let serverClientKeys =
        """
        ALTER TABLE clients ADD COLUMN key_set \(text);
        ALTER TABLE clients ADD COLUMN registration_hash BYTEA;
        ALTER TABLE clients ADD COLUMN registration_method \(text);
        ALTER TABLE clients ADD COLUMN last_used_at BIGINT;

        CREATE TABLE client_assertions (digest BYTEA PRIMARY KEY, record BYTEA NOT NULL, expires_at BIGINT NOT NULL);
        CREATE INDEX client_assertions_by_expiry ON client_assertions (expires_at);
        """
}
