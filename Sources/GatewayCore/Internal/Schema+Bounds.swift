extension Schema {
    /// The indexes and columns with which each query reads only rows of one person, client, address or key, and with
    /// which the rows of each of them have a maximum number.
    ///
    /// Audiences that are longer than ``ClientStore`` stores are emptied, so that their people are asked again.
    /// `is_over` is whether the session of a row of `client_sessions` has ended. `first_person_id` is the person who
    /// first signed in to a client that registered itself.
    static let bounds =
        """
        UPDATE client_consents SET audience = '' WHERE length(audience) > 8192;
        \(commonIndexes)
        ALTER TABLE clients ADD COLUMN first_person_id TEXT;
        CREATE INDEX clients_by_first_person ON clients (first_person_id, last_used_at)
            WHERE first_person_id IS NOT NULL;
        ALTER TABLE client_sessions ADD COLUMN is_over INTEGER NOT NULL DEFAULT 0;
        UPDATE client_sessions SET is_over = 1
            WHERE session_id IN (SELECT id FROM sessions WHERE ended_at IS NOT NULL);
        CREATE INDEX live_client_sessions ON client_sessions (client_id) WHERE NOT is_over;

        CREATE TRIGGER client_sessions_end AFTER UPDATE OF ended_at ON sessions
        WHEN NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL
        BEGIN
            UPDATE client_sessions SET is_over = 1 WHERE session_id = NEW.id;
        END;
        """

    /// The same as ``bounds`` in PostgreSQL.
    static let serverBounds =
        """
        UPDATE client_consents SET audience = '' WHERE octet_length(audience) > 8192;
        \(commonIndexes)
        ALTER TABLE clients ADD COLUMN first_person_id \(text);
        CREATE INDEX clients_by_first_person ON clients (first_person_id, last_used_at)
            WHERE first_person_id IS NOT NULL;
        ALTER TABLE client_sessions ADD COLUMN is_over BOOLEAN NOT NULL DEFAULT FALSE;
        UPDATE client_sessions SET is_over = TRUE
            WHERE session_id IN (SELECT id FROM sessions WHERE ended_at IS NOT NULL);
        CREATE INDEX live_client_sessions ON client_sessions (client_id) WHERE NOT is_over;

        CREATE FUNCTION client_sessions_end() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE client_sessions SET is_over = TRUE WHERE session_id = NEW.id;
            RETURN NULL;
        END $$;
        CREATE TRIGGER client_sessions_end AFTER UPDATE OF ended_at ON sessions
            FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL)
            EXECUTE FUNCTION client_sessions_end();
        """

    private static let commonIndexes =
        """
        CREATE INDEX client_consents_by_client ON client_consents (client_id);
        CREATE INDEX ended_sessions_by_person ON sessions (person_id, ended_at)
            WHERE ended_at IS NOT NULL AND end_reason <> 'token-reused';
        CREATE INDEX reused_sessions_by_person ON sessions (person_id, ended_at) WHERE end_reason = 'token-reused';
        DROP INDEX client_sessions_by_client;
        DROP INDEX sessions_by_parent;
        CREATE INDEX sessions_by_parent ON sessions (parent_id, ended_at) WHERE parent_id IS NOT NULL;
        CREATE INDEX administrators ON people (id) WHERE is_admin;
        CREATE INDEX expiring_api_keys ON api_keys (expires_at) WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
        CREATE INDEX api_keys_by_person ON api_keys (person_id, created_at);
        CREATE INDEX device_requests_by_address ON device_requests (address_key, expires_at);
        """
}
