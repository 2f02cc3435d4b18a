import Database
import FoundationEssentials

extension AccountStore {
    static let allAccounts = Statement(
        "SELECT \(AccountSchema.columns) FROM accounts WHERE \(AccountSchema.visible) ORDER BY position",
        row: AccountSchema.row)

    static let oneAccount = Statement(
        "SELECT \(AccountSchema.columns) FROM accounts WHERE id = ? AND \(AccountSchema.visible)", UUID.self,
        row: AccountSchema.account)

    static let insert = Statement(
        """
        INSERT INTO accounts (id, display_name, server_url, user_email, api_key_id, scopes, created_at, last_used_at, \
        dialect, details, stage, is_active) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        UUID.self, String.self, String.self, String.self, String?.self, String.self, Date.self, Date.self, String.self,
        String.self, String.self, Bool.self)

    static let deactivateAll = Statement("UPDATE accounts SET is_active = 0 WHERE is_active = 1")

    static let activate = Statement(
        "UPDATE accounts SET is_active = 1, last_used_at = ? WHERE id = ? AND \(AccountSchema.visible)", Date.self,
        UUID.self)

    static let activateFirst = Statement(
        """
        UPDATE accounts SET is_active = 1 WHERE position = \
        (SELECT min(position) FROM accounts WHERE \(AccountSchema.visible)) \
        AND NOT EXISTS (SELECT 1 FROM accounts WHERE is_active = 1)
        """)

    static let update = Statement(
        """
        UPDATE accounts SET display_name = coalesce(?, display_name), user_email = coalesce(?, user_email), \
        api_key_id = coalesce(?, api_key_id), scopes = coalesce(?, scopes) WHERE id = ? AND \(AccountSchema.visible)
        """,
        String?.self, String?.self, String?.self, String?.self, UUID.self)

    static let passwordChanged = Statement(
        "UPDATE accounts SET must_change_password = 0 WHERE id = ?", UUID.self)

    static let touch = Statement(
        "UPDATE accounts SET last_used_at = ? WHERE id = ? AND \(AccountSchema.visible)", Date.self, UUID.self)
}

extension Connection {
    /// Inserts an account.
    func run(
        _ statement: Statement<
            Void, UUID, String, String, String, String?, String, Date, Date, String, String, String, Bool
        >, _ account: Account, stage: AccountStage, isActive: Bool
    ) throws(DatabaseError) {
        _ = try run(
            statement, account.id, account.displayName, account.serverURL.url, account.userEmail, account.apiKeyID,
            AccountSchema.text(account.scopes), account.createdAt, account.lastUsedAt, account.dialect.rawValue,
            AccountSchema.text(account.details), stage.rawValue, isActive)
    }
}

/// The stage of an account. ``AccountSchema`` describes what each stage leaves behind after a crash.
enum AccountStage: String, Sendable {
    /// A sign-in has begun.
    case pending
    /// Signed in.
    case `in`
    /// Signed out.
    case out
    /// Signed out. The secrets may still be in the secret store.
    case wiping
    /// Being removed. The secrets may still be in the secret store.
    case leaving
}
