extension Schema {
    /// The keys that tokens are bound to, and the proofs that were used.
    ///
    /// `key_thumbprint` is the SHA-256 of a public key in base64url, and null for a token that is not bound to a key. In
    /// `sessions` it is that of the session's token, or of a client's refresh tokens.
    static let proofs =
        """
        ALTER TABLE sessions ADD COLUMN key_thumbprint TEXT;
        ALTER TABLE access_tokens ADD COLUMN key_thumbprint TEXT;
        ALTER TABLE clients ADD COLUMN requires_dpop INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE used_proofs (
            digest BLOB NOT NULL PRIMARY KEY,
            record BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX used_proofs_by_expiry ON used_proofs (expires_at);
        """

    /// The same as ``proofs`` in PostgreSQL.
    static let serverProofs =
        """
        ALTER TABLE sessions ADD COLUMN key_thumbprint \(text);
        ALTER TABLE access_tokens ADD COLUMN key_thumbprint \(text);
        ALTER TABLE clients ADD COLUMN requires_dpop BOOLEAN NOT NULL DEFAULT FALSE;

        CREATE TABLE used_proofs (digest BYTEA PRIMARY KEY, record BYTEA NOT NULL, expires_at BIGINT NOT NULL);
        CREATE INDEX used_proofs_by_expiry ON used_proofs (expires_at);
        """
}
