import Crypto
import Database
import FoundationEssentials
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What another process does to a session or its person while a request is between its authentication and its write. The
/// gateway of the test still has the session in memory.
enum SessionEnding: CaseIterable, Sendable {
    case ended, expired, disabled, notAdministrator

    /// The endings of the session of a person without the role of an administrator.
    static let ofPerson: [SessionEnding] = [.ended, .expired, .disabled]

    private static let end = Statement(
        "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE token_hash = ?", Date?.self, String?.self, [UInt8].self)
    private static let expire = Statement(
        "UPDATE sessions SET expires_at = ? WHERE token_hash = ?", Date.self, [UInt8].self)
    private static let disable = Statement(
        "UPDATE people SET disabled_at = ? WHERE id = ?", Date?.self, UUID.self)
    private static let make = Statement("UPDATE people SET is_admin = ? WHERE id = ?", Bool.self, UUID.self)
    private static let revoke = Statement("UPDATE api_keys SET revoked_at = ? WHERE id = ?", Date?.self, UUID.self)

    /// Applies the ending, runs `body` and undoes the ending.
    func during(_ token: String, of person: UUID, in stores: GatewayStores, _ body: () async throws -> Void)
        async throws
    {
        let (hash, now) = (SHA256.digest(token).bytes, stores.now())
        func apply(_ isApplied: Bool) async throws {
            let count = try await stores.database.write { connection in
                switch self {
                case .ended:
                    try connection.run(Self.end, isApplied ? now : nil, isApplied ? "revoked" : nil, hash)
                case .expired: try connection.run(Self.expire, isApplied ? now - 3_600 : now + 3_600, hash)
                case .disabled: try connection.run(Self.disable, isApplied ? now : nil, person)
                case .notAdministrator: try connection.run(Self.make, !isApplied, person)
                }
            }
            try #require(count == 1)
        }
        try await apply(true)
        try await body()
        try await apply(false)
    }

    /// Revokes a key, runs `body` and undoes the revocation.
    static func duringRevocation(of key: UUID, in stores: GatewayStores, _ body: () async throws -> Void) async throws {
        let now = stores.now()
        _ = try await stores.database.write { try $0.run(Self.revoke, now, key) }
        try await body()
        _ = try await stores.database.write { try $0.run(Self.revoke, nil, key) }
    }
}

extension GatewayStores {
    /// A digest of every table except the counters of attempts.
    func content() async throws -> [String: TableDigest] {
        try await database.read { connection in
            var content: [String: TableDigest] = [:]
            for table in DatabaseCopy.tables where table != "attempt_counters" {
                var digest = TableDigest()
                try connection.forEachRow(of: "SELECT * FROM \"\(table)\"") { digest.add($0) }
                content[table] = digest
            }
            return content
        }
    }
}
