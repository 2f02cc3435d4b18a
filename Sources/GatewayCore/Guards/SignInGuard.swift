package import Crypto
package import Database
package import FoundationEssentials
import HTTPMessages
import Synchronization

/// Limits password attempts from one address, and on one account whether or not it exists.
///
/// An IPv6 address is counted by its /64, because one customer has a whole /64, and by its /56 and /48, in which four and
/// sixteen times as many attempts may fail. Too many failures start a lock-out, which is longer each time. The correct
/// password clears the failures of the account but not those of the address, because an attacker may have an account. An
/// address from which the person has signed in with the password has failures of its own, see ``AccountCounters``.
///
/// The counters are in the database, so all gateways on it share one limit, and a restart ends no lock-out. An attempt
/// reserves a place before the password is checked and settles it afterwards, so there are never more concurrent
/// attempts than remaining places. When a gateway is killed in between, the place is free again after ``placeLifetime``.
/// When the database does not respond, no attempt is allowed.
///
/// A correct sign-in without earlier failures costs one write, which need not outlive a power failure. Its end is
/// written together with the next attempt, or with all others of a second. The first one from an address, and one a day
/// later, costs a second write. An attempt during a lock-out of its address that this gateway knows costs nothing, one
/// during a lock-out of its account a read, and any other refused attempt writes nothing.
///
/// Source: NIST SP 800-63B §5.2.2; RFC 6749 §10.10.
package final class SignInGuard: Sendable {
    /// The places that an attempt has reserved. Each reservation must be settled exactly once.
    package struct Reservation: Sendable {
        fileprivate let id = SecureRandom.bytes(16)
        fileprivate let address: StoredCounter
        /// The wider networks of the address. Only their failures count, not the attempts in progress.
        fileprivate let networks: [StoredCounter]
        fileprivate var account: AccountCounters?
        fileprivate let begun: Date
        /// Whether the account has failures, which the correct password clears.
        fileprivate var hasFailures = false

        /// Whether the person of the account has signed in with the password from this address before.
        package var isAtKnownAddress: Bool { account?.isAtKnownAddress ?? false }
    }

    /// The result of requesting an attempt.
    package enum Decision: Sendable {
        /// The attempt is allowed and must be settled.
        case granted(Reservation)
        /// The attempt is refused. The value is the time to wait.
        case refused(Duration)
    }

    /// How long an attempt may take: 2 minutes. The result of a longer one is not used, because its place may be free.
    package static let attemptLifetime = Duration.seconds(120)
    /// How long a place stays reserved when its attempt is never settled: 3 minutes, which is longer than an attempt
    /// may take even if the clocks of two gateways differ by a minute.
    package static let placeLifetime = attemptLifetime + ClockDifference.tolerated

    let database: Database
    private let digests: AttemptDigests
    private let limits: (address: AttemptLimit, account: AttemptLimit)
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let lockOuts: KnownLockOuts
    /// The attempts that ended and are still in the database. The next write deletes them.
    private let ended = Mutex<[[UInt8]]>([])
    private let grants = Atomic<Int>(0)

    /// Creates a guard on a database with the gateway's tables.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - key: The key of the digests of addresses and accounts, the same in all gateways on the database. Nil for
    ///     digests without a key.
    ///   - address: The limit on an address.
    ///   - account: The limit on an account.
    ///   - capacity: The maximum number of addresses, of networks and of accounts, after ``sweep()``. The ones with the
    ///     least information are deleted. Between two sweeps each gateway may add a sixteenth more.
    ///   - now: The clock of lock-outs. The clocks of two gateways may differ by a minute.
    package init(
        database: Database, key: Secret?, address: AttemptLimit, account: AttemptLimit, capacity: Int = 50_000,
        now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        digests = AttemptDigests(key: key)
        limits = (address, account)
        self.capacity = capacity
        lockOuts = KnownLockOuts(capacity: 2 * capacity)
        self.now = now
    }

    /// Requests an attempt from an address, to guess a secret if one is given.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`. The attempt is not allowed then.
    package func reserve(from address: ClientAddress, guessing guessed: GuessedSecret?) async throws -> Decision {
        let now = now()
        let key = AddressKey(address)
        let request = Reservation(
            address: StoredCounter(kind: .address, digest: digests.address(key), limit: limits.address),
            networks: key.all.dropFirst().map {
                StoredCounter(kind: .network, digest: digests.address($0), limit: limits.address.times($0.allowance))
            },
            account: guessed.map { AccountCounters($0, at: key, digests, limits.account) },
            begun: now)
        for counter in request.addressCounters {
            if let wait = lockOut(of: counter, at: now) { return .refused(wait) }
        }
        if let account = request.account,
            [account.others, account.own].contains(where: { lockOut(of: $0, at: now) != nil })
        {
            let found = try await database.read { try account.resolved(at: now, $0) }
            if let wait = lockOut(of: found.active, at: now) { return .refused(wait) }
        }
        let decision = try await write { [lockOuts] in try request.begin(at: now, lockOuts, $0) }
        if case .granted = decision { await trimIfNeeded() }
        return decision
    }

    /// Returns how long a lock-out that this gateway knows still lasts. Nil when it knows none.
    private func lockOut(of counter: StoredCounter, at now: Date) -> Duration? {
        lockOuts.wait(for: counter.digest, maximum: counter.limit.maximumLockOut, at: now)
    }

    /// Throws when an attempt took so long that its place may be free again. Its result must not be used then.
    ///
    /// - Throws: ``GatewayError/Code/busy``.
    package func requireInTime(_ reservation: Reservation) throws(GatewayError) {
        guard now() < reservation.begun + Self.attemptLifetime else {
            throw GatewayError(.busy, "The sign-in took too long; try again shortly.")
        }
    }

    /// Settles an attempt that ended before the password was checked, or that proved something else than the password.
    package func release(_ reservation: Reservation) {
        ended.withLock { $0.append(reservation.id) }
    }

    /// Settles an attempt with the correct password.
    ///
    /// - Throws: `DatabaseError` when failures of the account could not be cleared, or the address not be recorded.
    package func succeed(_ reservation: Reservation) async throws {
        release(reservation)
        let (now, hasFailures) = (now(), reservation.hasFailures)
        guard let account = reservation.account, hasFailures || account.needsRecord(at: now) else { return }
        try await settle { connection in
            if hasFailures { try account.active.reset(connection) }
            if account.needsRecord(at: now) { try account.record(at: now, connection) }
        }
    }

    /// Settles an attempt with a wrong password, or one that counts as such.
    ///
    /// - Returns: The lengths of the lock-outs that start, of the address or one of its networks and of the account; nil
    ///   where none starts.
    /// - Throws: `DatabaseError` when the failure could not be counted. The place stays reserved for
    ///   ``placeLifetime`` then.
    package func fail(_ reservation: Reservation) async throws -> (address: Duration?, account: Duration?) {
        let now = now()
        let lengths = try await settle { connection in
            // In the same transaction, so that the place is never free before the failure is counted.
            try connection.run(AttemptStatements.end, reservation.id)
            let addresses = try reservation.addressCounters.map {
                (digest: $0.digest, length: try $0.fail(at: now, connection))
            }
            return (addresses: addresses, account: try reservation.account?.active.fail(at: now, connection))
        }
        for case (let digest, let length?) in lengths.addresses { lockOuts.insert(digest, until: now + length) }
        if let account = reservation.account, let length = lengths.account {
            lockOuts.insert(account.active.digest, until: now + length)
        }
        return (lengths.addresses.compactMap(\.length).max(), lengths.account)
    }

    /// Deletes the attempts that ended from the database. Called once a second, and before the database is closed.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`. The next call tries again.
    package func flush() async throws {
        if ended.withLock({ !$0.isEmpty }) { try await write { _ in } }
    }

    /// Deletes counters without information, and those with the least information beyond the capacity.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`. The next sweep tries again.
    package func sweep() async throws {
        // Another gateway's clock may be late.
        let now = now() - ClockDifference.tolerated
        lockOuts.sweep(at: now)
        try await write { connection in
            try connection.run(AttemptStatements.deleteEnded, now)
            try AccountCounters.sweep(at: now, connection)
        }
        for (kind, limit) in [
            (AttemptKind.address, limits.address), (.network, limits.address), (.account, limits.account),
        ] {
            try await write { [capacity] connection in
                try connection.run(AttemptStatements.deleteIdle, kind.rawValue, now, now - limit.maximumLockOut)
                let excess = (try connection.first(AttemptStatements.count, kind.rawValue) ?? 0) - capacity
                if excess > 0 { try connection.run(AttemptStatements.deleteLeast, kind.rawValue, excess) }
            }
        }
    }

    /// Counting the counters takes as long as reading them all, so it is not done for every attempt.
    private func trimIfNeeded() async {
        let count = grants.add(1, ordering: .relaxed).newValue
        // A failure is ignored: the next sweep deletes them.
        if count.isMultiple(of: max(1, capacity / 16)) { _ = try? await sweep() }
    }

    /// Writes even when the caller is cancelled. Otherwise a client that disconnects in time could avoid the count.
    private func settle<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await Task { try await write(body) }.value
    }

    /// Deletes the attempts that ended and runs `body`, in one transaction. If it fails, they are deleted later.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let ids = ended.withLock { ended in
            defer { ended = [] }
            return ended
        }
        do {
            return try await database.write(outlivesPowerLoss: false) { connection in
                _ = try connection.firsts(AttemptStatements.end, ids)
                return try body(connection)
            }
        } catch {
            ended.withLock { $0 += ids }
            throw error
        }
    }
}

extension SignInGuard.Reservation {
    /// The counters of the address and its networks.
    fileprivate var addressCounters: [StoredCounter] { [address] + networks }

    /// Reserves the places if all counters allow it. Otherwise writes nothing.
    fileprivate func begin(
        at now: Date, _ lockOuts: KnownLockOuts, _ connection: Connection
    ) throws(DatabaseError) -> SignInGuard.Decision {
        var granted = self
        granted.account = try account?.resolved(at: now, connection)
        let onAccount = granted.account?.active
        let all = addressCounters + (onAccount.map { [$0] } ?? [])
        if let wait = try Self.refusal(all, at: now, lockOuts, connection) { return .refused(wait) }
        // A network gets a counter when an attempt fails.
        try StoredCounter.touch(all.filter { $0.kind != .network }, at: now, connection)
        try connection.run(
            AttemptStatements.begin, id, address.digest, onAccount?.digest, now + SignInGuard.placeLifetime)
        granted.hasFailures = try onAccount?.hasFailures(connection) ?? false
        return .granted(granted)
    }

    private static func refusal(
        _ counters: [StoredCounter], at now: Date, _ lockOuts: KnownLockOuts, _ connection: Connection
    ) throws(DatabaseError) -> Duration? {
        for counter in counters {
            guard let refusal = try counter.refusal(at: now, connection) else { continue }
            if let end = refusal.lockedUntil { lockOuts.insert(counter.digest, until: end) }
            return refusal.wait
        }
        return nil
    }
}
