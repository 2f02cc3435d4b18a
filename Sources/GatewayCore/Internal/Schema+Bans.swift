extension Schema {
    /// The networks whose requests are refused, in the form of ``IPNetwork``.
    static let bans =
        """
        CREATE TABLE bans (
            network TEXT NOT NULL PRIMARY KEY,
            note TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT, WITHOUT ROWID;
        """

    /// The same table in PostgreSQL, with the message about its changes.
    static let serverBans =
        """
        CREATE TABLE bans (
            network \(text) PRIMARY KEY,
            note \(text),
            created_at BIGINT NOT NULL,
            expires_at BIGINT
        );
        \(notifying("notify_bans", sending("'bans'")))
        CREATE TRIGGER notify_bans AFTER INSERT OR UPDATE OR DELETE ON bans
            FOR EACH STATEMENT EXECUTE FUNCTION notify_bans();
        """
}
