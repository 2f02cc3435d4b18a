package import Crypto
package import Database
package import FoundationEssentials

/// Stores the clients that people sign in to, and what each person allowed them.
///
/// Clients come from the configuration, from administrators, who add them to the database, and from registrations by
/// themselves. A client of the configuration takes precedence over a stored one with the same id.
package struct ClientStore: Sendable {
    /// The maximum number of clients that administrators added.
    package static let maximum = 1_000
    /// The maximum number of clients that a person has allowed something. Beyond it the access of the oldest one is
    /// removed, of clients without a live session first.
    package static let maximumPerPerson = 200
    let database: Database
    let configured: [RegisteredClient]
    let now: @Sendable () -> Date

    /// Creates a store with the clients of the configuration.
    package init(database: Database, configured: [RegisteredClient], now: @escaping @Sendable () -> Date) {
        self.database = database
        self.configured = configured
        self.now = now
    }

    /// Returns a client. Nil when there is none with this id.
    package func client(_ id: String) async throws -> RegisteredClient? {
        if let client = configured.first(where: { ExactText($0.id) == ExactText(id) }) { return client }
        return try await database.read { try $0.first(ClientStatements.find, id) }
    }

    /// Returns all clients: those of the configuration, then the stored ones, by name.
    package func list() async throws -> [RegisteredClient] {
        let names = Set(configured.map { ExactText($0.id) })
        let stored = try await database.read { try $0.all(ClientStatements.list) }
        return configured + stored.filter { !names.contains(ExactText($0.id)) }
    }

    /// Stores a client with a new id.
    ///
    /// - Parameters:
    ///   - name: The name for people.
    ///   - redirects: The addresses that a sign-in may end at. The caller has checked them.
    ///   - isConfidential: Whether the client gets a secret.
    ///   - allowsDevice: Whether devices without a browser may sign in to the client.
    ///   - requiresProof: Whether the client gets only tokens that are bound to a key.
    ///   - keys: The keys with which the client authenticates. Nil for a client with a secret, or a public one.
    ///   - signOut: How the client takes part in sign-outs. The caller has checked the addresses.
    ///   - accessTokens: The form of the client's access tokens.
    ///   - settings: What the administrator decides about the client. The caller has checked it.
    /// - Returns: The client, and its secret if it has one. The secret cannot be retrieved later.
    /// - Throws: ``GatewayError/Code/tooManyClients``; `DatabaseError`.
    package func add(
        name: String, redirects: [String], isConfidential: Bool, allowsDevice: Bool = false,
        requiresProof: Bool = false, keys: ClientKeys? = nil, signOut: ClientSignOutSettings = ClientSignOutSettings(),
        accessTokens: AccessTokenForm = .opaque, settings: ClientSettings = ClientSettings()
    ) async throws -> (client: RegisteredClient, secret: Secret?) {
        let secret = isConfidential ? Secret(Base64URL.encode(SecureRandom.bytes(32))) : nil
        let client = RegisteredClient(
            id: RegisteredClient.newID(), name: name, secretHash: secret.map { SHA256.digest($0) },
            redirects: redirects, allowsDevice: allowsDevice, requiresProof: requiresProof, created: now(), keys: keys,
            signOut: signOut, accessTokens: accessTokens, settings: settings)
        let hash = client.secretHash?.bytes
        let count = try await database.write { connection in
            try connection.run(
                ClientStatements.insert, client.id, client.name, hash, client.storedRedirects, allowsDevice,
                requiresProof, client.created ?? now(), client.keys?.text,
                signOut.redirects.joined(separator: "\n"), signOut.address, accessTokens.rawValue,
                settings.text, Self.maximum)
        }
        guard count == 1 else {
            throw GatewayError(
                .tooManyClients,
                "The server has \(Self.maximum) clients already; remove one with 'latchd clients remove ID' first.")
        }
        return (client, secret)
    }

    /// Removes a stored client, what people allowed it, and its sessions.
    ///
    /// - Returns: The number of sessions that ended.
    /// - Throws: ``GatewayError/Code/unknownClient`` when no stored client has this id.
    @discardableResult
    package func remove(_ id: String) async throws -> Int {
        let now = now()
        let count = try await database.write { connection -> Int? in
            try Self.remove(id, at: now, connection)
        }
        guard let count else { throw notStored(id, to: "remove 'oauth.clients.\(id)' there") }
        return count
    }

    /// The error when no stored client has an id.
    func notStored(_ id: String, to act: String) -> GatewayError {
        GatewayError(
            .unknownClient,
            configured.contains { ExactText($0.id) == ExactText(id) }
                ? "The client '\(id)' is part of the configuration; \(act)."
                : "No client has the id '\(id)'; 'latchd clients list' shows them.")
    }

    /// Does the same inside a write transaction. Returns nil when no stored client has this id.
    static func remove(_ id: String, at now: Date, _ connection: Connection) throws(DatabaseError) -> Int? {
        // Not by reading it, because an unreadable client can be removed too.
        guard try connection.first(ClientStatements.exists, id) == true else { return nil }
        // First, because the client's address is read when its sessions end.
        let count = try endAccess(of: id, at: now, connection)
        try connection.run(ClientStatements.remove, id)
        return count
    }
}

extension ClientStore {
    /// Whether a person has allowed a client at least a grant before: its scopes at each of its addresses.
    ///
    /// - Parameters:
    ///   - grant: The grant.
    ///   - person: The person.
    ///   - name: The name under which the person must have allowed it, for a client that chooses its name itself. Nil
    ///     when the name does not matter. See ``RegisteredClient/selfChosenName``.
    /// - Returns: Whether the person has.
    /// - Throws: `DatabaseError`.
    package func isAllowed(_ grant: ClientGrant, by person: UUID, named name: String? = nil) async throws -> Bool {
        try await database.read { try Self.isAllowed(grant, by: person, named: name, $0) }
    }

    /// Does the same inside a transaction.
    static func isAllowed(
        _ grant: ClientGrant, by person: UUID, named name: String?, _ connection: Connection
    ) throws(DatabaseError) -> Bool {
        guard let consent = try connection.first(ClientStatements.consent, person, grant.client) else { return false }
        if let name, let before = consent.name, ExactText(name) != ExactText(before) { return false }
        return consent.allowed.covers(grant)
    }

    /// Stores that a person allowed a grant, in addition to what the person allowed the client before. `name` is the
    /// client's name that the person saw; nil when the client is not known.
    ///
    /// - Returns: The clients whose access ended, because the person had allowed too many.
    @discardableResult
    package func allow(_ grant: ClientGrant, by person: UUID, named name: String? = nil) async throws -> [String] {
        let now = now()
        return try await database.write { connection -> [String] in
            let before = try connection.first(ClientStatements.consent, person, grant.client)?.allowed
            var allowed = before ?? AllowedGrants(client: grant.client)
            allowed.add(grant)
            _ = try connection.run(
                ClientStatements.allow, person, grant.client, allowed.all.scopes.joined(separator: " "),
                allowed.all.audience.joined(separator: " "), now, name, allowed.text)
            guard before == nil else { return [] }
            return try connection.all(ClientStatements.excessConsents, person, now, Self.maximumPerPerson).filter {
                try Self.withdraw($0, by: person, at: now, connection)
            }
        }
    }

    /// Returns what a person has allowed clients, the latest first.
    package func allowed(by person: UUID) async throws -> [ClientConsent] {
        let now = now()
        return try await database.read { connection in
            let sessions = Dictionary(try connection.all(ClientStatements.liveOfPerson, person, now)) { $1 }
            return try connection.all(ClientStatements.consents, person).map {
                ClientConsent(
                    grant: $0.allowed.all, name: $0.name, granted: $0.granted,
                    sessions: sessions[$0.allowed.client] ?? 0)
            }
        }
    }

    /// Returns the sessions of a person that ended since a time because somebody else had their tokens, the latest
    /// first, at most ten.
    package func stolen(from person: UUID, since time: Date) async throws -> [StolenSession] {
        try await database.read { try $0.all(ClientStatements.stolen, person, time) }
    }

    /// Withdraws what a person allowed a client, and ends the person's sessions of the client.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - asking: The session that makes the request. If the client has a session of the person that is newer and did not
    ///     begin in it, it needs a recent sign-in, as in ``SessionAdministration/requireMayEnd(_:asking:)``.
    /// - Returns: Whether the client had any access.
    /// - Throws: ``GatewayError/Code/recentSignInRequired``; `DatabaseError`.
    package func withdraw(_ client: String, asking: Session) async throws -> Bool {
        let (now, person) = (now(), asking.person.id)
        return try await database.write { connection in
            if try connection.first(
                ClientStatements.hasNewerSession, person, now, client, asking.endsSessionsBefore, asking.id.rawValue)
                == true
            {
                try SensitiveAction.endNewerSession.requireRecent(asking.authenticated, at: now)
            }
            return try Self.withdraw(client, by: person, at: now, connection)
        }
    }

    /// Does the same inside a write transaction.
    private static func withdraw(
        _ client: String, by person: UUID, at now: Date, _ connection: Connection
    ) throws(DatabaseError) -> Bool {
        let consents = try connection.run(ClientStatements.withdraw, person, client)
        let sessions = try connection.run(
            ClientStatements.endSessionsOfPerson, now, SessionEndReason.signedOut.rawValue, client, person)
        return consents + sessions > 0
    }
}

/// What a person allowed a client, and since when.
package struct ClientConsent: Sendable, Equatable {
    /// All scopes and all addresses that the person allowed, not all of them together.
    package let grant: ClientGrant
    /// The client's name that the person saw when they last allowed it something. Nil when it is not known.
    package let name: String?
    /// When the person first allowed the client something.
    package let granted: Date
    /// The number of the client's live sessions of the person.
    package let sessions: Int
}

/// A session of a client that ended because an old token or a code of it was used again.
package struct StolenSession: Sendable, Equatable {
    /// The `client_id`.
    package let client: String
    /// The name of the client, and the address that it signed in from.
    package let device: SessionDevice
    /// When the session ended.
    package let ended: Date

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        client = try row.get(0)
        device = SessionDevice(name: try row.get(1), kind: try row.get(2), address: try row.get(3))
        ended = try row.get(4)
    }
}

/// SQL statements for clients and consents.
enum ClientStatements {
    private static let added =
        "id, name, secret_hash, redirects, allows_device, requires_dpop, created_at, key_set"
    private static let later = "sign_out_redirects, sign_out_address, access_tokens, settings"
    static let columns = "\(added), registration_hash, registration_method, last_used_at, approval, \(later)"

    static let find = Statement(
        "SELECT \(columns) FROM clients WHERE id = ?", String.self, row: RegisteredClient.init)

    static let exists = Statement("SELECT EXISTS (SELECT 1 FROM clients WHERE id = ?)", String.self) {
        row throws(DatabaseError) in try row.get(0) as Bool
    }

    static let list = Statement("SELECT \(columns) FROM clients ORDER BY name, id", row: RegisteredClient.init)

    static let insert = Statement(
        """
        INSERT INTO clients (\(added), \(later))
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
        WHERE (SELECT count(*) FROM clients WHERE registration_hash IS NULL) < ?13
        """, String.self, String.self, [UInt8]?.self, String.self, Bool.self, Bool.self, Date.self, String?.self,
        String.self, String?.self, String.self, String.self, Int.self)

    static let remove = Statement("DELETE FROM clients WHERE id = ?", String.self)

    static let removeConsentsOfPerson = Statement("DELETE FROM client_consents WHERE person_id = ?", UUID.self)

    static let removeConsents = Statement("DELETE FROM client_consents WHERE client_id = ?", String.self)

    /// Ends the live sessions of a client of a person. It begins with the sessions of the person, which have a maximum
    /// number.
    static let endSessionsOfPerson = Statement(
        """
        UPDATE sessions SET ended_at = ?1, end_reason = ?2
        WHERE ended_at IS NULL AND expires_at > ?1 AND person_id = ?4
            AND EXISTS (SELECT 1 FROM client_sessions c WHERE c.session_id = sessions.id AND c.client_id = ?3)
        """, Date.self, String.self, String.self, UUID.self)

    /// Ends the live sessions of a client of everybody.
    static let endSessions = Statement(
        """
        UPDATE sessions SET ended_at = ?1, end_reason = ?2
        WHERE ended_at IS NULL AND expires_at > ?1
            AND id IN (SELECT session_id FROM client_sessions WHERE client_id = ?3 AND NOT is_over)
        """, Date.self, String.self, String.self)

    static let consent = Statement(
        """
        SELECT client_id, scopes, audience, grants, client_name FROM client_consents
        WHERE person_id = ? AND client_id = ?
        """, UUID.self, String.self
    ) { row throws(DatabaseError) in (allowed: try AllowedGrants(row, at: 0), name: try row.get(4) as String?) }

    static let allow = Statement(
        """
        INSERT INTO client_consents (person_id, client_id, scopes, audience, granted_at, client_name, grants)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (person_id, client_id) DO UPDATE
            SET scopes = excluded.scopes, audience = excluded.audience, client_name = excluded.client_name,
                grants = excluded.grants
        """, UUID.self, String.self, String.self, String.self, Date.self, String?.self, String.self)

    static let consents = Statement(
        """
        SELECT client_id, scopes, audience, grants, granted_at, client_name FROM client_consents
        WHERE person_id = ? ORDER BY granted_at DESC, client_id
        """, UUID.self
    ) { row throws(DatabaseError) in
        (allowed: try AllowedGrants(row, at: 0), granted: try row.get(4) as Date, name: try row.get(5) as String?)
    }

    /// Whether a client has a live session of a person that began at or after a time, and not in a session.
    static let hasNewerSession = Statement(
        """
        SELECT EXISTS (SELECT 1 FROM sessions s JOIN client_sessions c ON c.session_id = s.id
            WHERE s.person_id = ?1 AND s.ended_at IS NULL AND s.expires_at > ?2 AND c.client_id = ?3
                AND s.created_at >= ?4 AND c.browser_id IS DISTINCT FROM ?5)
        """, UUID.self, Date.self, String.self, Date.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    /// Counts the live sessions of a person by client.
    static let liveOfPerson = Statement(
        """
        SELECT l.client_id, count(*) FROM sessions s JOIN client_sessions l ON l.session_id = s.id
        WHERE s.person_id = ? AND s.ended_at IS NULL AND s.expires_at > ? GROUP BY l.client_id
        """, UUID.self, Date.self
    ) { row throws(DatabaseError) in (try row.get(0) as String, try row.get(1) as Int) }

    /// Selects the clients beyond a number that a person has allowed something: first those without a live session,
    /// then those that were allowed first.
    static let excessConsents = Statement(
        """
        SELECT c.client_id FROM client_consents c LEFT JOIN (
            SELECT DISTINCT l.client_id AS client FROM sessions s JOIN client_sessions l ON l.session_id = s.id
            WHERE s.person_id = ?1 AND s.ended_at IS NULL AND s.expires_at > ?2) live ON live.client = c.client_id
        WHERE c.person_id = ?1
        ORDER BY c.granted_at >= ?2 DESC, live.client IS NULL, c.granted_at DESC, c.client_id
        LIMIT 1000000000 OFFSET ?3
        """, UUID.self, Date.self, Int.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    static let stolen = Statement(
        """
        SELECT l.client_id, s.device_name, s.device_kind, s.device_address, s.ended_at
        FROM sessions s JOIN client_sessions l ON l.session_id = s.id
        WHERE s.person_id = ? AND s.end_reason = 'token-reused' AND s.ended_at > ?
        ORDER BY s.ended_at DESC, s.id LIMIT 10
        """, UUID.self, Date.self, row: StolenSession.init)

    static let withdraw = Statement(
        "DELETE FROM client_consents WHERE person_id = ? AND client_id = ?", UUID.self, String.self)
}
