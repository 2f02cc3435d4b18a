package import Crypto
package import Database
package import FoundationEssentials
import HTTPMessages

/// Stores the requests of devices without a browser until a person has decided them and the device has its tokens.
///
/// Requests are in the database, so all gateways on it share them. Only the hash of a device's code is stored, and only
/// an authentication code of the person's code.
///
/// Source: RFC 8628.
package struct DeviceRequestStore: Sendable {
    /// How long a request waits: 10 minutes.
    package static let lifetime = Duration.seconds(600)
    /// How long a device waits between two requests for tokens, in seconds, and how much longer after each ``DevicePoll/slowDown``.
    ///
    /// Source: RFC 8628 §3.2 and §3.5.
    package static let interval = 5
    /// How much less than the interval is accepted, in seconds, because messages take different times.
    private static let toleratedHaste = 1.0
    /// The maximum numbers of requests: of all, and of those that have not expired from one IPv4 address or /64 network of
    /// IPv6 addresses. Wider networks may have ``AddressKey/allowance`` times as many. When all are too many, an eighth of
    /// them is displaced; see ``FairShare``.
    package static let maximum = (total: 8_192, address: 64)
    /// How long an expired request is kept, so that its device learns why it gets no tokens.
    private static let memory = Duration.seconds(600)

    private let database: Database
    private let key: Secret
    private let maximum: (total: Int, address: Int)
    private let now: @Sendable () -> Date

    /// Creates a store. All gateways on the database have the same key.
    package init(
        database: Database, key: Secret, maximum: (total: Int, address: Int) = maximum,
        now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.key = key
        self.maximum = maximum
        self.now = now
    }

    /// Stores a request of a device.
    ///
    /// - Parameters:
    ///   - grant: The client, and what it asks for.
    ///   - dialect: The id of the server family whose session the device gets. Nil for a session of the client.
    ///   - device: What the device calls itself, and the address that it asks from.
    ///   - level: How strong the authentication of the person should be. Nil for any.
    ///   - maximumAge: How long ago the person may have authenticated, in whole seconds. Nil for any time.
    /// - Returns: The codes. Nil when too many requests from the address wait already.
    /// - Throws: `DatabaseError`.
    package func begin(
        _ grant: ClientGrant, dialect: String?, device: SessionDevice, level: AuthenticationLevel? = nil,
        maximumAge: Duration? = nil
    ) async throws -> DeviceCodes? {
        let now = now()
        // Two requests hardly ever get the same code.
        for _ in 0..<3 {
            let codes = DeviceCodes(device: Secret(Base64URL.encode(SecureRandom.bytes(32))), user: UserCode())
            let (deviceHash, userHash) = (SHA256.digest(codes.device).bytes, hash(of: codes.user))
            let address = AddressKey(device.address.flatMap { IPAddress($0) })
            let inserted = try await database.write { connection -> Bool? in
                guard try makeRoom(for: address, at: now, connection) else { return nil }
                return try connection.run(
                    DeviceStatements.insert, deviceHash, userHash, grant.client, grant.scopes.joined(separator: " "),
                    grant.audience.joined(separator: " "), dialect, device.name, device.address ?? "", now,
                    now + Self.lifetime, level?.rawValue, maximumAge.map { Int($0.components.seconds) }, Self.interval,
                    StoredDeviceRequest.State.waiting.rawValue, address.bytes) == 1
            }
            guard let inserted else { return nil }
            if inserted { return codes }
        }
        return nil
    }

    /// Displaces requests when there are too many. Returns false when the address, or its network, has too many itself.
    private func makeRoom(
        for address: AddressKey, at now: Date, _ connection: Connection
    ) throws(DatabaseError) -> Bool {
        let (site, network) = (address.wider, address.wider?.wider)
        guard
            let counts = try connection.first(
                DeviceStatements.count, address.bytes, site?.bytes, site?.upperBytes, network?.bytes,
                network?.upperBytes, now)
        else { return true }
        let hasRoom = zip(counts.addresses, address.all).allSatisfy { $0 < maximum.address * $1.allowance }
        guard hasRoom else { return false }
        if counts.total >= maximum.total {
            try connection.run(DeviceStatements.trim, maximum.total / 8 * 7)
        }
        return true
    }

    /// Returns the request with a person's code. Nil when there is none that waits for a decision.
    ///
    /// - Throws: `DatabaseError`.
    package func find(_ code: UserCode) async throws -> DeviceRequest? {
        let (hash, now) = (hash(of: code), now())
        return try await database.read { try $0.first(DeviceStatements.findWaiting, hash, now) }
    }

    /// Records the decision of a person. Each request is decided once.
    ///
    /// - Parameters:
    ///   - code: The code that the person typed.
    ///   - approval: Who allows the request. Nil to deny it.
    /// - Returns: The request. Nil when there is none that waits for a decision.
    /// - Throws: `DatabaseError`.
    package func decide(_ code: UserCode, _ approval: DeviceApproval?) async throws -> DeviceRequest? {
        let (hash, now) = (hash(of: code), now())
        let state: StoredDeviceRequest.State = approval == nil ? .denied : .allowed
        return try await database.write { connection in
            try connection.first(
                DeviceStatements.decide, state.rawValue, approval?.person, approval?.sessionEpoch,
                approval?.authenticated, approval?.browser.rawValue, approval?.methods.text, hash, now)
        }
    }

    /// Returns what a device learns that asks for its tokens. An allowed request is removed: of several requests for its
    /// tokens at once, one gets them.
    ///
    /// - Parameters:
    ///   - code: The code of the device.
    ///   - client: The client that sent it.
    ///   - usesUp: Whether an allowed request is removed. Default: true.
    /// - Returns: The tokens' owner and what they are for, or why there are none yet.
    /// - Throws: `DatabaseError`.
    package func poll(_ code: String, of client: String, usesUp: Bool = true) async throws -> DevicePoll {
        let (hash, now) = (SHA256.digest(code).bytes, now())
        // Nothing is lost with a power failure: the device asks again.
        return try await database.write { connection in
            try poll(hash, of: client, usesUp: usesUp, at: now, connection)
        }
    }

    /// The writes of all gateways on a database run one after another, so nothing changes after the request is read.
    private func poll(
        _ hash: [UInt8], of client: String, usesUp: Bool, at now: Date, _ connection: Connection
    ) throws(DatabaseError) -> DevicePoll {
        guard let stored = try connection.first(DeviceStatements.find, hash),
            ExactText(stored.request.grant.client) == ExactText(client)
        else { return .unknown }
        guard now < stored.request.expires else { return .expired }
        switch (stored.state, stored.approval) {
        case (.waiting, _):
            let isHasty = stored.isHasty(at: now, tolerated: Self.toleratedHaste)
            try connection.run(
                DeviceStatements.recordPoll, now, stored.interval + (isHasty ? Self.interval : 0), hash)
            return isHasty ? .slowDown : .pending
        case (.allowed, let approval?):
            if usesUp, try connection.run(DeviceStatements.remove, hash) == 0 { return .unknown }
            return .allowed(stored.request, approval)
        case (.allowed, nil), (.denied, _): return .denied
        }
    }

    /// Deletes old requests, at most 500 in each transaction.
    ///
    /// - Throws: `DatabaseError`; `CancellationError`.
    package func purge() async throws {
        let limit = now() - Self.memory - ClockDifference.tolerated
        while try await database.write({ try $0.run(DeviceStatements.purge, limit) }) > 0 {
            try Task.checkCancellation()
        }
    }

    private func hash(of code: UserCode) -> [UInt8] {
        HMACSHA256.code(of: Array("latchstring user code 1".utf8) + Array(code.text.utf8), key: key).bytes
    }
}

extension StoredDeviceRequest {
    /// Whether the device asks sooner than it may. The clock of the gateway that answered it before may be ahead; then
    /// it is not known how long the device waited.
    fileprivate func isHasty(at now: Date, tolerated: Double) -> Bool {
        guard let polled else { return false }
        let waited = now.timeIntervalSince(polled)
        return waited >= 0 && waited < Double(interval) - tolerated
    }
}

/// SQL statements for the requests of devices.
enum DeviceStatements {
    private static let columns =
        "client_id, scopes, audience, dialect, device_name, device_address, created_at, expires_at, level, "
        + "maximum_age"

    static let insert = Statement(
        """
        INSERT INTO device_requests (device_hash, user_hash, \(columns), poll_interval, state, address_key)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """, [UInt8].self, [UInt8].self, String.self, String.self, String.self, String?.self, String?.self, String.self,
        Date.self, Date.self, String?.self, Int?.self, Int.self, String.self, [UInt8].self)

    static let count = Statement(
        """
        SELECT (SELECT count(*) FROM device_requests WHERE expires_at > ?6),
            (SELECT count(*) FROM device_requests WHERE address_key = ?1 AND expires_at > ?6),
            (SELECT count(*) FROM device_requests WHERE address_key BETWEEN ?2 AND ?3 AND expires_at > ?6),
            (SELECT count(*) FROM device_requests WHERE address_key BETWEEN ?4 AND ?5 AND expires_at > ?6)
        """, [UInt8].self, [UInt8]?.self, [UInt8]?.self, [UInt8]?.self, [UInt8]?.self, Date.self
    ) { row throws(DatabaseError) in
        (
            total: try row.get(0) as Int,
            addresses: [try row.get(1) as Int, try row.get(2) as Int, try row.get(3) as Int]
        )
    }

    static let trim = Statement(
        FairShare.deletion(
            from: "device_requests", key: "device_hash", owner: "address_key", where: "address_key IS NOT NULL",
            keeping: "?"), Int.self)

    static let findWaiting = Statement(
        "SELECT \(columns) FROM device_requests WHERE user_hash = ? AND expires_at > ? AND state = 'waiting'",
        [UInt8].self, Date.self, row: DeviceRequest.init)

    static let decide = Statement(
        """
        UPDATE device_requests
        SET state = ?, person_id = ?, session_epoch = ?, authenticated_at = ?, browser_session = ?, methods = ?
        WHERE user_hash = ? AND expires_at > ? AND state = 'waiting' RETURNING \(columns)
        """, String.self, UUID?.self, Int?.self, Date?.self, String?.self, String?.self, [UInt8].self,
        Date.self, row: DeviceRequest.init)

    static let find = Statement(
        """
        SELECT \(columns), state, poll_interval, polled_at, person_id, session_epoch, authenticated_at, browser_session,
            methods
        FROM device_requests WHERE device_hash = ?
        """, [UInt8].self, row: StoredDeviceRequest.init)

    static let recordPoll = Statement(
        "UPDATE device_requests SET polled_at = ?, poll_interval = ? WHERE device_hash = ?", Date.self, Int.self,
        [UInt8].self)

    static let remove = Statement("DELETE FROM device_requests WHERE device_hash = ?", [UInt8].self)

    static let purge = Statement(
        """
        DELETE FROM device_requests WHERE device_hash IN
            (SELECT device_hash FROM device_requests WHERE expires_at < ? LIMIT 500)
        """, Date.self)
}
