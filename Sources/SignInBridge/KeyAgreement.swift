import Crypto
package import Database
package import FoundationEssentials
import GatewayCore

/// Detects gateways on one database that have different secrets. They could not complete each other's sign-ins, would
/// sign with different keys, and would count failed attempts separately.
///
/// Each gateway stores a value that is derived from its secret, and renews it once a minute. The value does not reveal
/// the secret.
package struct KeyAgreement: Sendable {
    /// How long a gateway that did not renew its value counts as running: 3 minutes.
    private static let lifetime = Duration.seconds(180)

    private let database: Database
    private let check: [UInt8]
    private let now: @Sendable () -> Date

    /// Creates the check of a gateway.
    package init(database: Database, keys: BridgeKeys, now: @escaping @Sendable () -> Date) {
        self.database = database
        check = keys.check
        self.now = now
    }

    /// Whether all other gateways that run on the database have the same secret. Stores the value of this one if so, or
    /// if `isRunning`.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`.
    package func confirm(isRunning: Bool) async throws -> Bool {
        let (check, now) = (check, now())
        return try await database.write(outlivesPowerLoss: false) { connection in
            let isShared = try connection.first(Self.other, check, now - Self.lifetime) != true
            if isShared || isRunning {
                try connection.run(Self.renew, check, now)
                try connection.run(Self.deleteOld, now - Self.lifetime - ClockDifference.tolerated)
            }
            return isShared
        }
    }

    /// Throws when another gateway that runs on the database has another secret.
    ///
    /// - Throws: ``GatewayError/Code/file``; the errors of ``confirm(isRunning:)``.
    package func require() async throws {
        guard try await confirm(isRunning: false) else {
            throw GatewayError(.file, "Could not start: \(Self.difference)")
        }
    }

    /// What is wrong when ``confirm(isRunning:)`` returns false, and what to do.
    package static let difference =
        "another gateway on this database has another bridge.key; give all of them the same file (bridge.key_file), or, "
        + "to replace the key, stop all gateways and start them 3 minutes later."

    /// Deletes the stored value, so that this gateway does not count as running. Other gateways with the same secret
    /// store it again.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`.
    package func end() async throws {
        let check = check
        _ = try await database.write(outlivesPowerLoss: false) { try $0.run(Self.delete, check) }
    }

    static let other = Statement(
        "SELECT EXISTS (SELECT 1 FROM key_checks WHERE digest <> ? AND seen_at > ?)", [UInt8].self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let renew = Statement(
        """
        INSERT INTO key_checks (digest, seen_at) VALUES (?, ?)
        ON CONFLICT (digest) DO UPDATE SET seen_at = excluded.seen_at
        """, [UInt8].self, Date.self)

    static let deleteOld = Statement("DELETE FROM key_checks WHERE seen_at <= ?", Date.self)

    static let delete = Statement("DELETE FROM key_checks WHERE digest = ?", [UInt8].self)
}
