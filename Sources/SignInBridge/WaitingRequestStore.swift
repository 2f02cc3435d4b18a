package import Crypto
package import Database
package import FoundationEssentials
package import GatewayCore
import HTTPMessages
import Synchronization

/// The requests of clients and apps that wait until a browser or an app continues them, in the gateway's database.
///
/// Anybody may cause such a request, so each party has a share. When too many wait, the largest shares lose their
/// oldest requests first: a party that sends many displaces its own. A share belongs to an IPv4 address or an IPv6 /48
/// network, and in that to each /56 and /64; see `FairShare`. Clients that an administrator added and that have
/// authenticated have shares in a second half, which nobody else can fill.
///
/// A store receives the SHA-256 of a handle, never the handle, and the record as sealed bytes. All gateways on the
/// database share it.
///
/// Source: RFC 9126 §7.1; OX-15.
package final class WaitingRequestStore: Sendable {
    /// Whose share a request takes.
    package enum Owner: Sendable, Equatable {
        /// The address that a request without authentication comes from.
        case address(ClientAddress)
        /// A client that an administrator added, and that has authenticated.
        case client(String)

        fileprivate var kind: String {
            switch self {
            case .address: "address"
            case .client: "client"
            }
        }

        fileprivate var bytes: [UInt8] {
            switch self {
            case .address(let address): AddressKey(address).bytes
            case .client(let id): SHA256.digest(id).bytes
            }
        }

        fileprivate static let kinds = ["address", "client"]
    }

    /// The maximum number of requests of all addresses, and of all clients, after ``sweep()``. Between two sweeps a
    /// sixteenth more may be stored.
    package static let capacity = 4_096

    private let database: Database
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let insertions = Atomic<Int>(0)

    /// Creates a store on a database with the gateway's tables.
    package init(database: Database, capacity: Int = capacity, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.capacity = capacity
        self.now = now
    }

    /// Stores a record, in place of an earlier one under the same key.
    ///
    /// - Parameters:
    ///   - record: The sealed record.
    ///   - key: The SHA-256 of its handle.
    ///   - lifetime: How long it waits. The clock of another gateway may differ by a minute.
    ///   - owner: Whose share it takes.
    /// - Throws: `DatabaseError`.
    package func save(
        _ record: [UInt8], under key: SHA256Digest, for lifetime: Duration, of owner: Owner
    ) async throws {
        let expires = now() + lifetime + ClockDifference.tolerated
        _ = try await database.write {
            try $0.run(WaitingRequestStatements.save, key.bytes, record, expires, owner.kind, owner.bytes)
        }
        // Finding the shares takes as long as reading all of them, so it is not done for every request.
        if insertions.add(1, ordering: .relaxed).newValue.isMultiple(of: max(1, capacity / 16)) { await sweep() }
    }

    /// Removes a record and returns it. Nil when there is none or it has expired. If several callers take it at the same
    /// time, even in several gateways, only one of them gets it.
    ///
    /// - Throws: `DatabaseError`.
    package func consume(_ key: SHA256Digest) async throws -> [UInt8]? {
        // Most requests with an unknown handle end here, without a write.
        guard try await database.read({ try $0.first(WaitingRequestStatements.exists, key.bytes) }) == true else {
            return nil
        }
        let taken = try await database.write { try $0.first(WaitingRequestStatements.remove, key.bytes) }
        guard let taken, now() < taken.expires else { return nil }
        return taken.record
    }

    /// Deletes expired records, and those beyond the capacity. A failure is ignored: the next sweep deletes them.
    package func sweep() async {
        let (now, capacity) = (now(), capacity)
        _ = try? await database.write { connection in
            try connection.run(WaitingRequestStatements.removeExpired, now)
            for kind in Owner.kinds { try connection.run(WaitingRequestStatements.trim, kind, capacity) }
        }
    }
}

/// SQL statements for requests that wait.
enum WaitingRequestStatements {
    static let save = Statement(
        """
        INSERT INTO pending_requests (digest, record, expires_at, kind, owner) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (digest) DO UPDATE SET record = excluded.record, expires_at = excluded.expires_at,
            kind = excluded.kind, owner = excluded.owner
        """, [UInt8].self, [UInt8].self, Date.self, String.self, [UInt8].self)

    static let exists = Statement("SELECT EXISTS (SELECT 1 FROM pending_requests WHERE digest = ?)", [UInt8].self) {
        row throws(DatabaseError) in try row.get(0) as Bool
    }

    static let remove = Statement(
        "DELETE FROM pending_requests WHERE digest = ? RETURNING record, expires_at", [UInt8].self
    ) { row throws(DatabaseError) in
        (record: try row.get(0) as [UInt8], expires: try row.get(1) as Date)
    }

    static let removeExpired = Statement("DELETE FROM pending_requests WHERE expires_at <= ?", Date.self)

    static let trim = Statement(
        FairShare.deletion(from: "pending_requests", key: "digest", owner: "owner", where: "kind = ?1", keeping: "?2"),
        String.self, Int.self)
}
