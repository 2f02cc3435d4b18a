extension Schema {
    /// What several gateways on the database share. `follows_at` is the creation of the signing key before this one, and
    /// null for keys from before this migration. `key_checks` has a value derived from the secret of each gateway.
    static let sharedState =
        """
        ALTER TABLE signing_keys ADD COLUMN follows_at INTEGER;

        CREATE UNIQUE INDEX signing_keys_by_follows_at ON signing_keys (follows_at);

        CREATE TABLE key_checks (
            digest BLOB NOT NULL PRIMARY KEY,
            seen_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        """ + attempts

    /// The counters of failed attempts, for all gateways on the database, and the attempts in progress.
    ///
    /// `digest`, `address` and `account` are digests of an address or an account; see ``AttemptDigests``. An attempt
    /// that a gateway could not settle because it was killed ends at `ends_at`.
    private static let attempts =
        """
        CREATE TABLE attempt_counters (
            digest BLOB NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            failures INTEGER NOT NULL,
            lock_outs INTEGER NOT NULL,
            window_ends_at INTEGER NOT NULL,
            locked_until INTEGER NOT NULL,
            used_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE attempts_in_progress (
            id BLOB NOT NULL PRIMARY KEY,
            address BLOB NOT NULL,
            account BLOB,
            ends_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX attempts_in_progress_by_address ON attempts_in_progress (address);
        CREATE INDEX attempts_in_progress_by_account ON attempts_in_progress (account);
        """
}
