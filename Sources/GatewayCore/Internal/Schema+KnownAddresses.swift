extension Schema {
    /// The addresses from which people have signed in with the password, see ``AccountCounters``.
    ///
    /// `digest` is that of the account and the address, `account` that of the account alone. Neither reveals an address
    /// without the key of the gateway.
    static let knownAddresses =
        """
        CREATE TABLE known_addresses (
            digest BLOB NOT NULL PRIMARY KEY,
            account BLOB NOT NULL,
            used_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        \(knownAddressIndexes)
        """

    /// The same table in PostgreSQL.
    static let serverKnownAddresses =
        """
        CREATE TABLE known_addresses (
            digest BYTEA PRIMARY KEY,
            account BYTEA NOT NULL,
            used_at BIGINT NOT NULL
        );
        \(knownAddressIndexes)
        """

    private static let knownAddressIndexes =
        """
        CREATE INDEX known_addresses_by_account ON known_addresses (account, used_at);
        CREATE INDEX known_addresses_by_use ON known_addresses (used_at);
        """
}
