public import Crypto
import Synchronization

/// Makes and checks password hashes on threads of its own, never on a loop.
///
/// A failed check costs the same whoever it is of. Of somebody who is not there, a hash of no password is checked
/// instead; and while people's hashes were made with different parameters, every failed check is one of each
/// kind, so that its time does not tell which kind this person has, or whether there is a person.
///
/// Source: issue of timing in contract of Onyx, b.8; RFC 9106 §3.1 for Argon2id.
public final class PasswordHasher: Sendable {
    /// How hashing is done.
    public struct Settings: Sendable, Equatable {
        /// Memory and iterations of new hashes; older hashes keep theirs until the person's next sign-in.
        public var parameters: Argon2idParameters
        /// How many hashes are computed at once. `2` by default.
        public var threads: Int
        /// How many more may wait. `64` by default; one past it is refused with ``GatewayError/Code/busy``.
        public var queue: Int

        /// Makes settings.
        public init(parameters: Argon2idParameters = .default, threads: Int = 2, queue: Int = 64) {
            self.parameters = parameters
            self.threads = threads
            self.queue = queue
        }
    }

    private let parameters: Argon2idParameters
    let pool: HashingPool
    /// One hash for each kind that people have, the kind of new hashes first.
    private let standIns: Mutex<[PasswordHash]>

    /// The most kinds of hashes that a failed check takes the time of.
    static let maximumKinds = 4

    /// Starts the threads.
    public init(_ settings: Settings) {
        parameters = settings.parameters
        pool = HashingPool(threads: settings.threads, queue: settings.queue)
        standIns = Mutex([.ofNoPassword(parameters: settings.parameters)])
    }

    /// The kinds of hashes that a failed check takes the time of.
    var kinds: [Argon2idParameters] { standIns.withLock { $0.compactMap(\.parameters) } }

    /// Has failed checks take the time of these kinds of hashes, besides that of new ones.
    ///
    /// - Parameter kinds: The parameters of people's hashes. Of more than ``maximumKinds`` the dearest count.
    func know(kinds: [Argon2idParameters]) {
        var wanted = [parameters]
        for kind in kinds.sorted(by: { $0.work > $1.work }) where !wanted.contains(kind) { wanted.append(kind) }
        let hashes = wanted.prefix(Self.maximumKinds).map { PasswordHash.ofNoPassword(parameters: $0) }
        standIns.withLock { $0 = hashes }
    }

    /// How many people wait for a thread.
    public var queueDepth: Int { pool.depth }

    /// Makes the hash to keep of a new password.
    ///
    /// - Throws: ``GatewayError/Code/busy`` when the queue is full; `CancellationError` when cancelled before its turn.
    public func hash(_ password: Secret) async throws -> PasswordHash {
        let parameters = parameters
        return try await pool.run { try PasswordHash.make(password, parameters: parameters) }
    }

    /// Checks a password; what will be refused takes the same work in every case.
    ///
    /// - Parameters:
    ///   - password: The password to check.
    ///   - hash: The person's hash; nil where there is no such person.
    ///   - mayEnter: Whether the person is let in if the password is right.
    /// - Returns: Whether `password` is the one that `hash` was made of.
    /// - Throws: As ``hash(_:)``.
    func verify(_ password: Secret, against hash: PasswordHash?, mayEnter: Bool) async throws -> Bool {
        let standIns = standIns.withLock { $0 }
        return try await pool.run {
            let checked = hash ?? standIns[0]
            let matches = checked.verify(password)
            if matches, hash != nil, mayEnter { return true }
            let kind = checked.parameters
            for standIn in standIns where standIn.parameters != kind { _ = standIn.verify(password) }
            return matches && hash != nil
        }
    }

    /// Whether `hash` was made with other parameters than new ones are.
    public func isOutdated(_ hash: PasswordHash) -> Bool {
        hash.needsRehash(for: parameters)
    }

    /// Refuses what waits and ends the threads.
    public func stop() {
        pool.stop()
    }
}

extension Argon2idParameters {
    /// How long it takes, roughly: the KiB that are gone through.
    fileprivate var work: Int {
        memoryKiB.multipliedReportingOverflow(by: iterations).overflow ? .max : memoryKiB * iterations
    }
}
