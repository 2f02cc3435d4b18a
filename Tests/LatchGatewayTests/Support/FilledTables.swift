import FoundationEssentials

@testable import Database
@testable import GatewayCore

/// Fills the tables of a PostgreSQL database, and has it count them, so that its plans are those of a server in use. With
/// empty tables it takes any index.
enum FilledTables {
    static func fill(_ database: Database) async throws {
        // A table at a time: without a name ANALYZE reads the catalog too.
        let tables = Set(statements.compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) })
        for sql in statements + tables.map({ "ANALYZE \($0)" }) {
            _ = try await database.write { connection in
                // A slow machine takes longer than a gateway waits for a statement.
                _ = try connection.run(Statement("SET LOCAL statement_timeout = 0"))
                return try connection.run(Statement(sql))
            }
        }
    }

    private static let statements: [String] =
        ([
            insert("people (id, email, created_at)", "'person' || i, 'p' || i || '@example.org', i", 2_000),
            insert(
                "identities (provider, issuer, subject, person_id, linked_at)",
                "'p', 'https://p.example', 's' || i, 'person' || i, i", 2_000),
            insert(
                "sessions (id, token_hash, person_id, created_at, last_used_at, expires_at, cap_at, parent_id, ended_at, "
                    + "end_reason)",
                """
                's' || i, \(digest), 'person' || i % 2000, i, i, i * 1000, i, CASE WHEN i % 9 = 0 THEN 's' || i + 2000 END,
                    CASE WHEN i % 3 > 0 THEN i END, CASE i % 3 WHEN 1 THEN 'signed-out' WHEN 2 THEN 'token-reused' END
                """, 30_000),
            insert(
                "client_sessions (session_id, client_id, scopes, audience, generation, refresh_hash, is_over, browser_id)",
                "'s' || i, 'c' || i % 999, '', '', 1, \(digest), i % 3 > 0, 's' || i + 1", 30_000),
            insert(
                "access_tokens (token_hash, session_id, generation, expires_at)", "\(digest), 's' || i, 1, i", 30_000),
            insert(
                "client_consents (person_id, client_id, scopes, audience, granted_at)",
                "'person' || i % 2000, 'c' || i / 2000, '', '', i", 8_000),
            insert(
                "api_keys (id, key_hash, person_id, name, scopes, created_at, revoked_at, expires_at, parent_id)",
                """
                'k' || i, \(digest), 'person' || i % 2000, 'k', '', i, CASE WHEN i % 2 = 0 THEN i END,
                    CASE WHEN i % 3 = 0 THEN i END, CASE WHEN i % 5 = 0 THEN 'k' || i + 1 END
                """, 8_000),
            insert(
                "device_requests (device_hash, user_hash, client_id, scopes, audience, device_address, created_at, "
                    + "expires_at, poll_interval, state, address_key)",
                "\(digest), \(digest), 'c' || i % 999, '', '', '', i, i, 5, 'waiting', sha256(convert_to((i % 999)::text, 'UTF8'))",
                4_000),
            insert(
                "client_sign_outs (session_id, client_id, person_id, attempts, next_at)",
                "'s' || i, 'c' || i % 999, 'person' || i % 2000, 1, i", 8_000),
            insert(
                "attempt_counters (digest, kind, failures, lock_outs, window_ends_at, locked_until, used_at)",
                "\(digest), CASE i % 2 WHEN 0 THEN 'address' ELSE 'account' END, 1, 1, i, i, i", 8_000),
            insert(
                "known_addresses (person_id, address, used_at)", "'person' || i % 2000, \(digest), i", 8_000),
            insert("attempts_in_progress (id, address, account, ends_at)", "\(digest), \(digest), \(digest), i", 8_000),
            insert("pins (person_id, hash)", "'person' || i, ''", 2_000),
            insert(
                "asset_folders (path, id, owner, is_locked, added_at)", "'f' || i, 'f' || i, 'o' || i % 9, FALSE, i",
                200),
            insert(
                """
                assets (id, folder, name, sought_name, owner, kind, size, modified_at, inode, sha1, taken_at, local_at,
                    visibility, is_locked, added_at, updated_at)
                """,
                """
                'a' || i, 'f' || i % 2000, i::text, '', 'o' || i % 9, 'image', 1, i, i, \(digest), i, i::bigint * 100000, 'timeline',
                    FALSE, i, i
                """, 8_000),
        ]
        + ["one_time_codes", "pending_requests", "client_assertions", "used_proofs"].map {
            insert("\($0) (digest, record, expires_at)", "\(digest), \(digest), i", 4_000)
        }).flatMap(\.self)

    private static let digest = "sha256(convert_to(i::text, 'UTF8'))"

    /// Returns statements of 1,000 rows each, because a slow machine needs longer than a statement of the gateway may take
    /// for all.
    private static func insert(_ columns: String, _ values: String, _ count: Int) -> [String] {
        stride(from: 0, through: count, by: 1_000).map {
            "INSERT INTO \(columns) SELECT \(values) FROM generate_series(\($0), \(min($0 + 999, count))) i"
        }
    }
}
