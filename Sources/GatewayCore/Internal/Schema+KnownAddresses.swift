extension Schema {
    /// The addresses from which people have signed in with the password, see ``AccountCounters``.
    ///
    /// `address` is a digest, which reveals no address without the key of the gateway.
    static let knownAddresses = knownAddresses(
        id: "TEXT", digest: "BLOB", time: "INTEGER", end: " STRICT, WITHOUT ROWID")

    /// The same table in PostgreSQL.
    static let serverKnownAddresses = knownAddresses(id: text, digest: "BYTEA", time: "BIGINT", end: "")

    private static func knownAddresses(id: String, digest: String, time: String, end: String) -> String {
        """
        CREATE TABLE known_addresses (
            person_id \(id) NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            address \(digest) NOT NULL,
            used_at \(time) NOT NULL,
            PRIMARY KEY (person_id, address)
        )\(end);
        CREATE INDEX known_addresses_by_person ON known_addresses (person_id, used_at);
        CREATE INDEX known_addresses_by_use ON known_addresses (used_at);
        """
    }
}
