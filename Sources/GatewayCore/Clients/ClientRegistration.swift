package import Crypto
import Database
package import FoundationEssentials
package import HTTPMessages

/// How a client authenticates, as it is named in the metadata of clients and servers.
///
/// Source: RFC 7591 §2; OpenID Connect Core §9.
package enum ClientAuthenticationMethod: String, Sendable, CaseIterable, SQLReadable {
    /// The secret in the `Authorization` field.
    case secretBasic = "client_secret_basic"
    /// The secret in the form.
    case secretPost = "client_secret_post"
    /// A statement that the client signed.
    case signedStatement = "private_key_jwt"
    /// The client is public.
    case none
}

/// The registration of a client that registered itself. Nobody has checked who made the client.
///
/// Source: RFC 7591.
package struct ClientRegistration: Sendable, Equatable {
    /// The SHA-256 of the token with which the client changes its registration.
    package let tokenHash: SHA256Digest
    /// How the client authenticates.
    package let method: ClientAuthenticationMethod
    /// When a person last signed in to the client or the client refreshed a token, to the day. Nil for never.
    package let lastUsed: Date?
    /// Whether an administrator has approved the client.
    package let approval: ClientApproval

    /// Creates a registration.
    package init(
        tokenHash: SHA256Digest, method: ClientAuthenticationMethod, lastUsed: Date? = nil,
        approval: ClientApproval = .notRequired
    ) {
        self.tokenHash = tokenHash
        self.method = method
        self.lastUsed = lastUsed
        self.approval = approval
    }

    /// Creates a registration from the columns `registration_hash`, `registration_method`, `last_used_at` and `approval`,
    /// of which the first is at `index`. Nil for a client that an administrator added.
    init?(_ row: SQLRow, at index: Int) throws(DatabaseError) {
        guard let hash = try row.get(index) as SHA256Digest? else { return nil }
        tokenHash = hash
        method = try row.get(index + 1)
        lastUsed = try row.get(index + 2)
        approval = try row.get(index + 3)
    }
}

/// Whether people may sign in to a client that registered itself.
package enum ClientApproval: String, Sendable, CaseIterable, SQLReadable {
    /// They may, because the server requires no approval. Databases had this text for both before they were told apart.
    case notRequired = "approved"
    /// They may, because an administrator approved the client as it is.
    case approved = "approved-by-administrator"
    /// No administrator has decided yet.
    case waiting
    /// An administrator refused the client.
    case refused

    /// Whether people may sign in to the client.
    package var admitsPeople: Bool { self == .notRequired || self == .approved }
}

extension ClientStore {
    /// How long a client that nobody has signed in to is not displaced by others: the time of a sign-in.
    private static let signInTime = Duration.seconds(600)

    /// The maximum number of registered clients of which one person was the first user and that no administrator has
    /// approved: 64, or a quarter of the maximum of all if that is fewer, and at least one.
    package static func maximumPerFirstPerson(of maximum: Int) -> Int { min(64, max(1, maximum / 4)) }

    /// How long a client that somebody has signed in to is not displaced by the registrations of others.
    private static let usedTime = Duration.seconds(7 * 86_400)

    /// Stores a client that registered itself.
    ///
    /// At most a quarter of the maximum may be clients that nobody has signed in to yet. One address, and one network, has
    /// its ``AddressKey/share(of:)`` of that. When its share is full, the oldest client from there is removed, and when
    /// the quarter is, the oldest from the network with the most, unless its sign-in may still be in progress. When there
    /// is none to remove, the client that was used the longest ago is removed, if that is at least a week and no
    /// administrator has approved it.
    ///
    /// A client that waits for approval displaces no other, but the newest that waits from a network with at least two
    /// more. So nobody removes the only one of a network, however many others register.
    ///
    /// - Parameters:
    ///   - client: The client, with its registration. The caller has checked it.
    ///   - address: Where the client registers itself from.
    ///   - isOfOtherPage: Whether a page of another site made a browser send the registration. Such registrations have
    ///     shares of their own.
    ///   - maximum: The maximum number of registered clients.
    /// - Returns: The id of the client that was removed in favor of this one. Nil when none was.
    /// - Throws: ``GatewayError/Code/tooManyClients``; `DatabaseError`.
    @discardableResult
    package func register(
        _ client: RegisteredClient, from address: AddressKey, isOfOtherPage: Bool = false, maximum: Int
    ) async throws -> String? {
        let now = now()
        let approval = client.registration?.approval ?? .notRequired
        let place = try await database.write { connection -> Place in
            let source = RegistrationSource(address, isOfOtherPage: isOfOtherPage)
            let place = try Self.place(for: approval, from: source, maximum: maximum, at: now, connection)
            if case .none = place { return place }
            try connection.run(
                ClientStatements.register, client.id, client.name, client.secretHash?.bytes, client.storedRedirects,
                client.created ?? now, client.keys?.text, client.registration?.tokenHash.bytes,
                client.registration?.method.rawValue, client.signOut.redirects.joined(separator: "\n"),
                client.allowsDevice, source.stored, client.settings.text, approval.rawValue)
            return place
        }
        switch place {
        case .free: return nil
        case .taken(let removed): return removed
        case .none(let problem): throw GatewayError(.tooManyClients, problem)
        }
    }

    /// Where a new client is stored.
    private enum Place: Sendable {
        case free
        /// In the place of the client with this id, which was removed.
        case taken(String)
        /// Nowhere, for this reason.
        case none(String)
    }

    /// Returns the place of a new client, after removing another one in favor of it if there is no free place.
    private static func place(
        for approval: ClientApproval, from source: RegistrationSource, maximum: Int, at now: Date,
        _ connection: Connection
    ) throws(DatabaseError) -> Place {
        let (site, network) = (source.levels.dropFirst().first, source.levels.dropFirst(2).first)
        guard
            let counts = try connection.first(
                ClientStatements.countRegistered, source.stored, site?.lower, site?.upper, network?.lower,
                network?.upper)
        else { return .free }
        let unusedMaximum = max(1, maximum / 4)
        let full = zip(counts.sources, source.levels).first { $0 >= $1.share(of: unusedMaximum) }?.1
        guard full != nil || counts.all >= maximum || counts.unused >= unusedMaximum else { return .free }
        let isWaiting = approval == .waiting
        var displaced: String?
        if let full {
            displaced =
                isWaiting
                ? nil
                : try connection.first(
                    ClientStatements.oldestUnused, now - signInTime, full.lower, full.upper)
        } else {
            let own = zip(counts.sources, source.levels).map(\.0).last ?? 0
            displaced = try connection.first(
                ClientStatements.displaceable, approval.rawValue, own + 1, now - signInTime)
            if displaced == nil, !isWaiting, counts.unused < unusedMaximum {
                displaced = try connection.first(ClientStatements.longestIdle, now - usedTime)
            }
        }
        if let displaced, try remove(displaced, at: now, connection) != nil { return .taken(displaced) }
        let problem =
            switch (isWaiting, full != nil) {
            case (true, true):
                "Too many clients from your network wait for approval. Ask an administrator to decide about them."
            case (true, false): "Too many clients wait for approval. Ask an administrator to decide about them."
            case (false, true):
                "Too many clients that were registered from your network are unused. Try again later."
            case (false, false): "Too many clients are registered. Try again later."
            }
        return .none(problem)
    }

    /// Records that a client is used, at most once a day, and who first used a client that registered itself.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - person: Who uses it.
    ///   - maximum: How many registered clients the person may be the first user of.
    ///   - now: The time.
    ///   - connection: The transaction.
    /// - Returns: The clients that were removed because the person was the first user of too many. The client itself is
    ///   one of them when other people use all of the others.
    /// - Throws: `DatabaseError`.
    static func recordUse(
        of client: String, by person: UUID, upTo maximum: Int, at now: Date, _ connection: Connection
    ) throws(DatabaseError) -> [String] {
        guard try connection.run(ClientStatements.recordUse, now, client, now - .seconds(86_400), person) == 1 else {
            return []
        }
        let excess = try connection.all(ClientStatements.excessOfPerson, person, client, maximum)
        for id in excess { _ = try remove(id, at: now, connection) }
        return excess
    }

    /// Removes the clients that registered themselves and that no administrator has approved, with their sessions and
    /// what people allowed them. A running gateway stays usable meanwhile: it can write between two clients.
    ///
    /// - Parameter onRemoval: Called with the id of each client after its removal.
    /// - Throws: `DatabaseError`. The clients that were removed before stay removed.
    package func removeUnverified(_ onRemoval: (String) -> Void) async throws {
        for id in try await database.read({ try $0.all(ClientStatements.unverified) }) {
            let now = now()
            if try await database.write({ try Self.remove(id, at: now, $0) }) != nil { onRemoval(id) }
        }
    }

    /// Replaces the name, the redirects and the credentials of a registered client.
    ///
    /// The settings stay as an administrator made them, except that the client may begin to require pushed requests. A
    /// client that an administrator refused stays refused.
    ///
    /// - Parameters:
    ///   - client: The client as it should be.
    ///   - requiresApproval: Whether an administrator must approve the client again, if anything that people see or
    ///     that says who receives the responses is changed. Otherwise such a client is not an approved one any more.
    /// - Returns: The client as it is now. Nil when it does not exist any more.
    /// - Throws: `DatabaseError`.
    package func update(_ client: RegisteredClient, requiresApproval: Bool) async throws -> RegisteredClient? {
        try await database.write { connection in
            guard let before = try connection.first(ClientStatements.find, client.id),
                let registration = before.registration
            else { return nil }
            var settings = before.settings
            if client.settings.requiresPushedRequests { settings.requiresPushedRequests = true }
            var approval = registration.approval
            if approval.admitsPeople, client.identityDigest != before.identityDigest {
                approval = requiresApproval ? .waiting : .notRequired
            }
            try connection.run(
                ClientStatements.update, client.name, client.secretHash?.bytes, client.storedRedirects,
                client.keys?.text, client.registration?.method.rawValue,
                client.signOut.redirects.joined(separator: "\n"), client.allowsDevice, settings.text,
                approval.rawValue, client.id)
            return try connection.first(ClientStatements.find, client.id)
        }
    }

    /// Removes registered clients that nobody has used for long, with their sessions.
    ///
    /// - Parameters:
    ///   - unused: How long a client stays without anybody signing in to it.
    ///   - idle: How long a client stays after its last use.
    /// - Returns: The ids of the clients.
    /// - Throws: `DatabaseError`.
    package func removeUnused(for unused: Duration, idle: Duration) async throws -> [String] {
        let now = now()
        return try await database.write { connection in
            let ids = try connection.all(ClientStatements.unused, now - unused, now - idle)
            for id in ids { _ = try Self.remove(id, at: now, connection) }
            return ids
        }
    }
}

extension ClientStatements {
    static let register = Statement(
        """
        INSERT INTO clients
            (id, name, secret_hash, redirects, created_at, key_set, registration_hash, registration_method,
            sign_out_redirects, allows_device, registration_address, settings, approval)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, String.self, String.self, [UInt8]?.self, String.self, Date.self, String?.self, [UInt8]?.self, String?.self,
        String.self, Bool.self, [UInt8].self, String.self, String.self)

    static let countRegistered = Statement(
        """
        SELECT count(*), count(CASE WHEN last_used_at IS NULL THEN 1 END),
            count(CASE WHEN last_used_at IS NULL AND registration_address = ?1 THEN 1 END),
            count(CASE WHEN last_used_at IS NULL AND registration_address BETWEEN ?2 AND ?3 THEN 1 END),
            count(CASE WHEN last_used_at IS NULL AND registration_address BETWEEN ?4 AND ?5 THEN 1 END)
        FROM clients WHERE registration_hash IS NOT NULL
        """, [UInt8].self, [UInt8]?.self, [UInt8]?.self, [UInt8]?.self, [UInt8]?.self
    ) { row throws(DatabaseError) in
        (
            all: try row.get(0) as Int, unused: try row.get(1) as Int,
            sources: [try row.get(2) as Int, try row.get(3) as Int, try row.get(4) as Int]
        )
    }

    /// Returns the oldest client from an address or network that nobody has signed in to and that does not wait for
    /// approval.
    static let oldestUnused = Statement(
        """
        SELECT id FROM clients
        WHERE registration_hash IS NOT NULL AND last_used_at IS NULL AND approval <> 'waiting' AND created_at < ?1
            AND registration_address BETWEEN ?2 AND ?3
        ORDER BY created_at, id LIMIT 1
        """, Date.self, [UInt8].self, [UInt8].self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    /// Returns the client that nobody has signed in to and that a new one with an approval may displace: a refused one,
    /// otherwise one from the network with the most. Of those that wait, only one from a network with more than a number
    /// is returned, the newest; of the others the oldest, if it is from before a time. `mark` is 1 for an IPv6 address of a page: the byte of
    /// ``RegistrationSource`` precedes it.
    static let displaceable = Statement(
        """
        SELECT id FROM (
            SELECT id, created_at, approval,
                count(*) OVER (PARTITION BY substr(registration_address, 1, 6 + mark)) AS of_network,
                count(*) OVER (PARTITION BY substr(registration_address, 1, 7 + mark)) AS of_site,
                count(*) OVER (PARTITION BY registration_address) AS of_address
            FROM (SELECT *, CASE length(registration_address) WHEN 9 THEN 1 ELSE 0 END AS mark FROM clients) marked
            WHERE registration_hash IS NOT NULL AND last_used_at IS NULL AND (approval = 'refused' OR approval = ?1)
        ) AS unused
        WHERE CASE WHEN approval = 'waiting' THEN of_network > ?2 ELSE created_at < ?3 END
        ORDER BY approval = 'refused' DESC, of_network DESC, of_site DESC, of_address DESC,
            CASE WHEN approval = 'waiting' THEN -created_at ELSE created_at END, id LIMIT 1
        """, String.self, Int.self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    static let update = Statement(
        """
        UPDATE clients SET name = ?, secret_hash = ?, redirects = ?, key_set = ?, registration_method = ?,
            sign_out_redirects = ?, allows_device = ?, settings = ?, approval = ?
        WHERE id = ? AND registration_hash IS NOT NULL
        """, String.self, [UInt8]?.self, String.self, String?.self, String?.self, String.self, Bool.self, String.self,
        String.self, String.self)

    static let unused = Statement(
        """
        SELECT id FROM clients WHERE registration_hash IS NOT NULL
            AND (last_used_at IS NULL AND created_at < ?1 OR last_used_at < ?2) LIMIT 500
        """, Date.self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    /// Returns the registered client that was used the longest ago, before a time, and that no administrator has approved.
    static let longestIdle = Statement(
        """
        SELECT id FROM clients
        WHERE registration_hash IS NOT NULL AND last_used_at < ? AND approval <> 'approved-by-administrator'
        ORDER BY last_used_at, id LIMIT 1
        """, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    static let unverified = Statement(
        "SELECT id FROM clients WHERE registration_hash IS NOT NULL AND approval <> 'approved-by-administrator'"
    ) { row throws(DatabaseError) in try row.get(0) as String }

    /// Records that a stored client is used, unless that was recorded since a time, and the first user of a registered
    /// client.
    static let recordUse = Statement(
        """
        UPDATE clients SET last_used_at = ?1,
            first_person_id = CASE WHEN registration_hash IS NULL THEN NULL ELSE coalesce(first_person_id, ?4) END
        WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < ?3
            OR registration_hash IS NOT NULL AND first_person_id IS NULL)
        """, Date.self, String.self, Date.self, UUID.self)

    /// Selects the registered clients beyond a number of which a person was the first user and that no administrator has
    /// approved: first those that nobody else uses, of these those that were used the longest ago, then the client in the
    /// second parameter, and last the others that somebody else uses.
    static let excessOfPerson = Statement(
        """
        SELECT id FROM clients WHERE first_person_id = ?1 AND approval <> 'approved-by-administrator'
        ORDER BY EXISTS (
                SELECT 1 FROM client_consents c WHERE c.client_id = clients.id AND c.person_id <> ?1)
                AND id <> ?2 DESC,
            id = ?2 DESC, last_used_at DESC, id
        LIMIT 1000000000 OFFSET ?3
        """, UUID.self, String.self, Int.self
    ) { row throws(DatabaseError) in try row.get(0) as String }
}
