public import Crypto

/// Makes and checks password hashes on threads of its own, never on a loop.
///
/// Checking the password of somebody who is not there costs the same as of somebody who is: a hash with the current
/// parameters, of a password that nobody knows, stands in.
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
    private let standIn: PasswordHash

    /// Starts the threads and makes the hash that stands in for people who are not there.
    public init(_ settings: Settings) async throws {
        let parameters = settings.parameters
        let pool = HashingPool(threads: settings.threads, queue: settings.queue)
        self.parameters = parameters
        self.pool = pool
        standIn = try await pool.run {
            try PasswordHash.make(Secret(bytes: SecureRandom.bytes(32)), parameters: parameters)
        }
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

    /// Whether `password` is the one that `hash` was made of; false after the same work when there is no hash.
    ///
    /// - Throws: As ``hash(_:)``.
    public func verify(_ password: Secret, against hash: PasswordHash?) async throws -> Bool {
        let standIn = standIn
        return try await pool.run {
            let matches = (hash ?? standIn).verify(password)
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
