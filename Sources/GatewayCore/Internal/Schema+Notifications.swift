import Database
import PostgreSQL

extension Schema {
    /// The triggers that tell every gateway which cached values have changed. ``StoredChange`` reads the messages. Uses
    /// of sessions and keys change nothing that is cached.
    static let serverNotifications =
        """
        \(notifying("notify_session_change", sending("'session ' || encode(OLD.token_hash, 'base64')")))
        CREATE TRIGGER notify_session_change AFTER UPDATE ON sessions FOR EACH ROW
            WHEN ((OLD.ended_at, OLD.cap_at, OLD.parent_id, OLD.authenticated_at, OLD.elevated_until)
                IS DISTINCT FROM (NEW.ended_at, NEW.cap_at, NEW.parent_id, NEW.authenticated_at, NEW.elevated_until))
            EXECUTE FUNCTION notify_session_change();
        CREATE TRIGGER notify_session_removal AFTER DELETE ON sessions FOR EACH ROW WHEN (OLD.ended_at IS NULL)
            EXECUTE FUNCTION notify_session_change();

        \(notifying("notify_person_change", sending("'person ' || OLD.id")))
        CREATE TRIGGER notify_person_change AFTER UPDATE OR DELETE ON people
            FOR EACH ROW EXECUTE FUNCTION notify_person_change();

        \(notifying(
            "notify_identity_change",
            "IF TG_OP <> 'INSERT' THEN \(sending("'person ' || OLD.person_id")) END IF;",
            "IF TG_OP <> 'DELETE' THEN \(sending("'person ' || NEW.person_id")) END IF;"))
        CREATE TRIGGER notify_identity_change AFTER INSERT OR UPDATE OR DELETE ON identities
            FOR EACH ROW EXECUTE FUNCTION notify_identity_change();

        \(notifying("notify_key_change", sending("'key ' || OLD.id")))
        CREATE TRIGGER notify_key_change AFTER UPDATE OF revoked_at, expires_at, scopes ON api_keys
            FOR EACH ROW EXECUTE FUNCTION notify_key_change();
        CREATE TRIGGER notify_key_removal AFTER DELETE ON api_keys
            FOR EACH ROW WHEN (OLD.revoked_at IS NULL) EXECUTE FUNCTION notify_key_change();

        \(notifying("notify_signing_keys", sending("'signing-keys'")))
        CREATE TRIGGER notify_signing_keys AFTER INSERT OR DELETE ON signing_keys
            FOR EACH STATEMENT EXECUTE FUNCTION notify_signing_keys();

        \(notifying("notify_asset_change", sending("'assets'")))
        CREATE TRIGGER notify_asset_change AFTER INSERT OR UPDATE OR DELETE ON assets
            FOR EACH STATEMENT EXECUTE FUNCTION notify_asset_change();
        CREATE TRIGGER notify_folder_change AFTER INSERT OR UPDATE OR DELETE ON asset_folders
            FOR EACH STATEMENT EXECUTE FUNCTION notify_asset_change();
        """

    static func sending(_ message: String) -> String {
        "PERFORM pg_notify('\(PostgreSQLDriver.channel)', \(message));"
    }

    static func notifying(_ name: String, _ statements: String...) -> String {
        """
        CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            \(statements.joined(separator: " "))
            RETURN NULL;
        END $$;
        """
    }
}
