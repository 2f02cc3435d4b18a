package import Database
package import FoundationEssentials
package import HTTPMessages
import Primitives
import Synchronization

/// The addresses and networks whose requests every gateway on the database refuses.
///
/// The bans are in memory, so a request needs no query. ``load()`` reads them when the database reports a change.
package final class BanStore: Sendable {
    /// The maximum number of bans that have not ended.
    package static let capacity = 1_000

    private let database: Database
    private let proxies: TrustedProxies
    private let audit: AuditLog
    private let now: @Sendable () -> Date
    private let list = BanList()
    /// The number of reads that have begun.
    private let reads = Atomic(0)
    private let isStale = Atomic(false)

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - proxies: The proxies, which cannot be banned: requests of everybody come from them.
    ///   - audit: The audit log.
    ///   - now: The clock that determines the end of bans.
    package init(database: Database, proxies: TrustedProxies, audit: AuditLog, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.proxies = proxies
        self.audit = audit
        self.now = now
    }

    /// Reads the bans into memory.
    ///
    /// - Throws: `DatabaseError`; the bans in memory then stay as they are.
    package func load() async throws {
        let read = reads.wrappingAdd(1, ordering: .relaxed).newValue
        list.replace(with: try await bans(), read: read)
    }

    /// Reads the bans into memory if they have changed, now or since the last call that succeeded.
    ///
    /// - Parameter isChanged: Whether the database reports a change.
    /// - Throws: As ``load()``; the next call then reads them.
    package func loadIfChanged(_ isChanged: Bool) async throws {
        if isChanged { isStale.store(true, ordering: .relaxed) }
        guard isStale.exchange(false, ordering: .relaxed) else { return }
        do {
            try await load()
        } catch {
            isStale.store(true, ordering: .relaxed)
            throw error
        }
    }

    /// Whether the requests of a client are refused. Never those of this machine or of a proxy.
    package func contains(_ client: ClientAddress) -> Bool {
        guard let address = client.ip, list.contains(address, at: now()) else { return false }
        return !address.isLoopback && !proxies.trusts(address)
    }

    /// Returns the bans that have not ended, the newest first.
    ///
    /// - Throws: `DatabaseError`.
    package func bans() async throws -> [Ban] {
        let now = now()
        return try await database.read { try $0.all(BanStatements.all, now) }
    }

    /// Reads an address or a network that may be banned.
    ///
    /// - Throws: ``GatewayError/Code/invalidBan`` when the text is neither, or the network contains this machine or a
    ///   trusted proxy.
    package func network(_ text: String) throws(GatewayError) -> IPNetwork {
        guard let network = IPNetwork(text) else {
            throw GatewayError(
                .invalidBan,
                "'\(text.displayName(limit: 64) ?? "")' is not an address or a network. Write 203.0.113.7, "
                    + "203.0.113.0/24 or 2001:db8::/32; the bits after the prefix must be zero.")
        }
        let own = ["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) }
        if own.contains(where: { $0.overlaps(network) }) {
            throw GatewayError(
                .invalidBan, "\(network) contains an address of this machine, which cannot be banned.")
        }
        if let proxy = proxies.networks.first(where: { $0.overlaps(network) }) {
            throw GatewayError(
                .invalidBan,
                "\(network) contains addresses of a proxy (trusted_proxies: \(proxy)), through which everybody comes. "
                    + "Ban the addresses of the clients.")
        }
        return network
    }

    /// Bans a network, or changes its ban.
    ///
    /// - Parameters:
    ///   - text: The address or the network.
    ///   - duration: How long. Nil for a ban that stays until it is removed.
    ///   - note: Why, at most ``Ban/maximumNoteCount`` characters; longer ones are shortened.
    ///   - actor: The administrator who did it on a page. Nil for a command.
    /// - Returns: The ban.
    /// - Throws: ``GatewayError/Code/invalidBan``, also when there are ``capacity`` bans; `DatabaseError`.
    @discardableResult
    package func add(
        _ text: String, for duration: Duration? = nil, note: String? = nil, by actor: UUID? = nil
    ) async throws -> Ban {
        let (network, now) = (try network(text), now())
        let ban = Ban(
            network: network, note: note?.displayName(limit: Ban.maximumNoteCount), created: now,
            expires: duration.map { now + $0 })
        let isAdded = try await database.write { connection in
            try connection.run(BanStatements.removeEnded, now)
            let others = try connection.first(BanStatements.countOthers, network.description) ?? 0
            guard others < Self.capacity else { return false }
            try connection.run(BanStatements.add, network.description, ban.note, now, ban.expires)
            return true
        }
        guard isAdded else {
            throw GatewayError(
                .invalidBan,
                "There are \(Self.capacity) bans already. Remove some, or ban a network that contains them.")
        }
        audit.record(AuditEvent(.addressBanned, actor: actor, address: network.description, duration: duration))
        try await load()
        return ban
    }

    /// Removes a ban.
    ///
    /// - Throws: ``GatewayError/Code/unknownBan`` when there is none of exactly this network; `DatabaseError`.
    package func remove(_ text: String, by actor: UUID? = nil) async throws {
        let name = IPNetwork(text)?.description ?? text
        guard try await database.write({ try $0.run(BanStatements.remove, name) }) == 1 else {
            throw GatewayError(
                .unknownBan,
                "There is no ban of '\(name.displayName(limit: 64) ?? "")'. 'latchd bans list' shows all of them.")
        }
        audit.record(AuditEvent(.banRemoved, actor: actor, address: name))
        try await load()
    }
}

/// SQL statements for bans.
enum BanStatements {
    static let all = Statement(
        """
        SELECT network, note, created_at, expires_at FROM bans WHERE expires_at IS NULL OR expires_at > ?
        ORDER BY created_at DESC, network
        """, Date.self, row: Ban.init)

    static let countOthers = Statement("SELECT count(*) FROM bans WHERE network <> ?", String.self) {
        row throws(DatabaseError) in try row.get(0) as Int
    }

    static let add = Statement(
        """
        INSERT INTO bans (network, note, created_at, expires_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (network) DO UPDATE SET note = coalesce(excluded.note, bans.note), created_at = excluded.created_at,
            expires_at = excluded.expires_at
        """, String.self, String?.self, Date.self, Date?.self)

    static let remove = Statement("DELETE FROM bans WHERE network = ?", String.self)

    static let removeEnded = Statement("DELETE FROM bans WHERE expires_at <= ?", Date.self)
}
