import Database
import FoundationEssentials

/// A counter of attempts in the database, with its limit. The functions run in a write, which excludes those of other
/// gateways.
struct StoredCounter: Sendable {
    let kind: AttemptKind
    let digest: [UInt8]
    let limit: AttemptLimit

    /// The reason why an attempt is refused.
    struct Refusal: Sendable {
        /// The time to wait.
        let wait: Duration
        /// The end of the lock-out. Nil when the attempts in progress occupy all places.
        let lockedUntil: Date?
    }

    /// Returns why an attempt is refused now; nil when it may begin. Writes only if a lock-out is too long, because the
    /// clock was set back.
    func refusal(at now: Date, _ connection: Connection) throws(DatabaseError) -> Refusal? {
        let stored = try connection.first(AttemptStatements.find, digest) ?? AttemptCounter()
        var counter = stored
        guard let wait = counter.wait(limit, inProgress: try inProgress(at: now, connection), at: now) else {
            return nil
        }
        let lockedUntil = counter.lockedUntil
        if lockedUntil < stored.lockedUntil { try store(counter, connection) }
        return Refusal(wait: wait, lockedUntil: now < lockedUntil ? lockedUntil : nil)
    }

    /// Creates the counters that do not exist, and records the use of all of them.
    static func touch(_ counters: [StoredCounter], at now: Date, _ connection: Connection) throws(DatabaseError) {
        _ = try connection.firsts(AttemptStatements.touch, counters.map { ($0.digest, $0.kind.rawValue, now) })
    }

    /// Counts a failure. Returns the length of the lock-out that starts; nil when none starts.
    func fail(at now: Date, _ connection: Connection) throws(DatabaseError) -> Duration? {
        // Creates the counter again if a flood displaced it while the password was checked.
        try Self.touch([self], at: now, connection)
        var counter = try connection.first(AttemptStatements.find, digest) ?? AttemptCounter()
        let lockOut = counter.fail(limit, at: now)
        try store(counter, connection)
        return lockOut
    }

    /// Forgets the failures.
    func reset(_ connection: Connection) throws(DatabaseError) {
        guard var counter = try connection.first(AttemptStatements.find, digest) else { return }
        counter.reset()
        try store(counter, connection)
    }

    /// Whether a correct password changes the counter.
    func hasFailures(_ connection: Connection) throws(DatabaseError) -> Bool {
        let counter = try connection.first(AttemptStatements.find, digest)
        return counter.map { $0.failures > 0 || $0.lockOuts > 0 } ?? false
    }

    private func inProgress(at now: Date, _ connection: Connection) throws(DatabaseError) -> Int {
        switch kind {
        case .address: try connection.first(AttemptStatements.inProgressFromAddress, digest, now) ?? 0
        // No index finds them by network, and the queue of hashes bounds them.
        case .network: 0
        case .account: try connection.first(AttemptStatements.inProgressOnAccount, digest, now) ?? 0
        }
    }

    private func store(_ counter: AttemptCounter, _ connection: Connection) throws(DatabaseError) {
        try connection.run(
            AttemptStatements.update, counter.failures, counter.lockOuts, counter.windowEnds, counter.lockedUntil,
            digest)
    }
}
