package import Crypto
import Database
package import FoundationEssentials
package import HTTPMessages

/// How a client authenticates, as it is named in the metadata of clients and servers.
///
/// Source: RFC 7591 §2; OpenID Connect Core §9.
package enum ClientAuthenticationMethod: String, Sendable, CaseIterable {
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

    /// Creates a registration.
    package init(tokenHash: SHA256Digest, method: ClientAuthenticationMethod, lastUsed: Date? = nil) {
        self.tokenHash = tokenHash
        self.method = method
        self.lastUsed = lastUsed
    }

    /// Creates a registration from the columns `registration_hash`, `registration_method` and `last_used_at`, of which
    /// the first is at `index`. Nil for a client that an administrator added.
    init?(_ row: SQLRow, at index: Int) throws(DatabaseError) {
        guard let hash = (try row.get(index) as [UInt8]?).flatMap(SHA256Digest.init(bytes:)) else { return nil }
        tokenHash = hash
        method = (try row.get(index + 1) as String?).flatMap(ClientAuthenticationMethod.init) ?? .none
        lastUsed = try row.get(index + 2)
    }
}

extension ClientStore {
    /// How long a registered client stays without anybody signing in to it.
    package static let unusedLifetime = Duration.seconds(86_400)
    /// How long a registered client stays after its last use.
    package static let idleLifetime = Duration.seconds(90 * 86_400)
    /// How long a client that nobody has signed in to is not displaced by others: the time of a sign-in.
    private static let signInTime = Duration.seconds(600)

    /// Stores a client that registered itself.
    ///
    /// At most a quarter of the maximum may be clients that nobody has signed in to yet, and an eighth of that from one
    /// address. When there are more, the oldest of them is removed, unless its sign-in may still be in progress.
    ///
    /// - Parameters:
    ///   - client: The client, with its registration. The caller has checked it.
    ///   - address: Where the client registers itself from.
    ///   - maximum: The maximum number of registered clients.
    /// - Throws: ``GatewayError/Code/tooManyClients``; `DatabaseError`.
    package func register(_ client: RegisteredClient, from address: AddressKey, maximum: Int) async throws {
        let now = now()
        let unusedMaximum = max(1, maximum / 4)
        let isStored = try await database.write { connection -> Bool in
            let counts =
                try connection.first(ClientStatements.countRegistered, address.bytes)
                ?? (all: 0, unused: 0, fromAddress: 0)
            let isAddressFull = counts.fromAddress >= max(1, unusedMaximum / 8)
            if isAddressFull || counts.all >= maximum || counts.unused >= unusedMaximum {
                let displaced = try connection.first(
                    ClientStatements.oldestUnused, now - Self.signInTime, isAddressFull ? address.bytes : nil)
                guard let displaced, try Self.remove(displaced, at: now, connection) != nil else { return false }
            }
            try connection.run(
                ClientStatements.register, client.id, client.name, client.secretHash?.bytes, client.storedRedirects,
                client.created ?? now, client.keys?.text, client.registration?.tokenHash.bytes,
                client.registration?.method.rawValue, client.signOut.redirects.joined(separator: "\n"),
                client.allowsDevice, address.bytes)
            return true
        }
        guard isStored else {
            throw GatewayError(.tooManyClients, "The server has too many registered clients already; try again later.")
        }
    }

    /// Replaces the name, the redirects and the credentials of a registered client. Returns whether it still exists.
    package func update(_ client: RegisteredClient) async throws -> Bool {
        try await database.write { connection in
            try connection.run(
                ClientStatements.update, client.name, client.secretHash?.bytes, client.storedRedirects,
                client.keys?.text, client.registration?.method.rawValue,
                client.signOut.redirects.joined(separator: "\n"), client.allowsDevice, client.id) == 1
        }
    }

    /// Removes registered clients that nobody has used for long, with their sessions.
    ///
    /// - Returns: The ids of the clients.
    package func removeUnused() async throws -> [String] {
        let now = now()
        return try await database.write { connection in
            let ids = try connection.all(
                ClientStatements.unused, now - Self.unusedLifetime, now - Self.idleLifetime)
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
            sign_out_redirects, allows_device, registration_address)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, String.self, String.self, [UInt8]?.self, String.self, Date.self, String?.self, [UInt8]?.self, String?.self,
        String.self, Bool.self, [UInt8].self)

    static let countRegistered = Statement(
        """
        SELECT count(*), count(CASE WHEN last_used_at IS NULL THEN 1 END),
            count(CASE WHEN last_used_at IS NULL AND registration_address = ? THEN 1 END)
        FROM clients WHERE registration_hash IS NOT NULL
        """, [UInt8].self
    ) { row throws(DatabaseError) in
        (all: try row.get(0) as Int, unused: try row.get(1) as Int, fromAddress: try row.get(2) as Int)
    }

    /// Returns the oldest of the clients that nobody has signed in to, from an address or, if that is null, of all.
    static let oldestUnused = Statement(
        """
        SELECT id FROM clients
        WHERE registration_hash IS NOT NULL AND last_used_at IS NULL AND created_at < ?1
            AND (?2 IS NULL OR registration_address = ?2)
        ORDER BY created_at, id LIMIT 1
        """, Date.self, [UInt8]?.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    static let update = Statement(
        """
        UPDATE clients SET name = ?, secret_hash = ?, redirects = ?, key_set = ?, registration_method = ?,
            sign_out_redirects = ?, allows_device = ?
        WHERE id = ? AND registration_hash IS NOT NULL
        """, String.self, [UInt8]?.self, String.self, String?.self, String?.self, String.self, Bool.self, String.self)

    static let unused = Statement(
        """
        SELECT id FROM clients WHERE registration_hash IS NOT NULL
            AND (last_used_at IS NULL AND created_at < ?1 OR last_used_at < ?2) LIMIT 500
        """, Date.self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    /// Records that a registered client is used, unless that was recorded since a time.
    static let recordUse = Statement(
        """
        UPDATE clients SET last_used_at = ?1
        WHERE id = ?2 AND registration_hash IS NOT NULL AND (last_used_at IS NULL OR last_used_at < ?3)
        """, Date.self, String.self, Date.self)
}
