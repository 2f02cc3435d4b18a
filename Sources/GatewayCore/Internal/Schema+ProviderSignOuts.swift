extension Schema {
    /// The provider of each sign-out, and its number among those of the provider. Sign-outs from before this migration
    /// have neither, and stay until they expire.
    static let providerSignOuts =
        """
        ALTER TABLE provider_sign_outs ADD COLUMN provider TEXT NOT NULL DEFAULT '';
        ALTER TABLE provider_sign_outs ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        \(signOutsByProvider)
        """

    /// The same as ``providerSignOuts`` in PostgreSQL.
    static let serverProviderSignOuts =
        """
        ALTER TABLE provider_sign_outs ADD COLUMN provider \(text) NOT NULL DEFAULT '';
        ALTER TABLE provider_sign_outs ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
        \(signOutsByProvider)
        """

    private static let signOutsByProvider =
        "CREATE INDEX provider_sign_outs_by_provider ON provider_sign_outs (provider, number);"
}
