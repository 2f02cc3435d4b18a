package import Crypto
import HTTPMessages
import Synchronization

/// Creates and verifies password hashes on its own threads, never on an event loop.
///
/// A failed check takes the same time for every account. If there is no such person, a stand-in hash is verified
/// instead. If people's hashes were made with different parameters, every failed check verifies one hash of each kind.
/// So the time reveals neither the kind of a person's hash nor whether the person exists.
///
/// Source: docs/protocols/onyx.md, Sign-in with a password, for the timing; RFC 9106 §3.1 for Argon2id.
package final class PasswordHasher: Sendable {
    /// The settings of password hashing.
    package struct Settings: Sendable, Equatable {
        /// The memory and iterations of new hashes. An older hash is replaced at the person's next sign-in.
        package var parameters: Argon2idParameters
        /// The number of hashes that are computed at the same time. `2` by default.
        package var threads: Int
        /// The number of hashes that may wait. `64` by default. One person, account or address may have a quarter of
        /// the places, a /56 or /48 network half, and all addresses without a sign-in before three quarters. Beyond
        /// that, the newest one of the caller with the most places is rejected with ``GatewayError/Code/busy``.
        package var queue: Int

        /// Creates settings.
        package init(parameters: Argon2idParameters = .default, threads: Int = 2, queue: Int = 64) {
            self.parameters = parameters
            self.threads = threads
            self.queue = queue
        }
    }

    private let parameters: Argon2idParameters
    let pool: HashingPool
    private let known = KnownAddresses()
    /// A stand-in hash for each kind of hash that people have. The kind of new hashes is first.
    private let standIns: Mutex<[PasswordHash]>

    /// The maximum number of kinds of hashes that a failed check verifies.
    static let maximumKinds = 4

    /// Creates a hasher and starts its threads.
    package init(_ settings: Settings) {
        parameters = settings.parameters
        pool = HashingPool(threads: settings.threads, queue: settings.queue)
        standIns = Mutex([.unmatchable(parameters: settings.parameters)])
    }

    /// The kinds of hashes that a failed check verifies.
    package var kinds: [Argon2idParameters] { standIns.withLock { $0.compactMap(\.parameters) } }

    /// Sets the kinds of hashes that a failed check verifies, in addition to the kind of new hashes.
    ///
    /// - Parameter kinds: The parameters of people's hashes. If there are more than ``maximumKinds``, the most
    ///   expensive ones are used.
    func setKinds(_ kinds: [Argon2idParameters]) {
        var wanted = [parameters]
        for kind in kinds.sorted(by: { $0.work > $1.work }) where !wanted.contains(kind) { wanted.append(kind) }
        // Each kind adds the time of one hash to every refused sign-in, so their number is bounded.
        let hashes = wanted.prefix(Self.maximumKinds).map { PasswordHash.unmatchable(parameters: $0) }
        standIns.withLock { $0 = hashes }
    }

    /// The number of hashes that wait for a thread.
    package var queueDepth: Int { pool.depth }

    /// Records a sign-in from an address, whose later ones come before those of others.
    func recordSignIn(from address: ClientAddress) {
        known.insert(AddressKey(address))
    }

    private func isKnown(_ caller: HashingCaller) -> Bool {
        caller.address.map(known.contains) ?? true
    }

    /// Returns the hash of a new password, to be stored. `caller` is who wants it.
    ///
    /// - Throws: ``GatewayError/Code/busy`` when the queue is full; ``GatewayError/Code/closed`` after ``stop()``;
    ///   `CancellationError` when the task is cancelled before hashing starts.
    package func hash(_ password: Secret, for caller: HashingCaller = .server) async throws -> PasswordHash {
        let parameters = parameters
        return try await pool.run(for: caller, isKnown: isKnown(caller)) {
            try PasswordHash.make(password, parameters: parameters)
        }
    }

    /// Verifies a password. Every check that leads to a refusal takes the same time.
    ///
    /// - Parameters:
    ///   - password: The password to check.
    ///   - hash: The person's hash; nil when there is no such person or the person has no password.
    ///   - mayEnter: Whether the caller accepts the person if the password is correct.
    ///   - caller: Who sent the password.
    /// - Returns: Whether `password` matches `hash`.
    /// - Throws: The same errors as ``hash(_:)``.
    package func verify(
        _ password: Secret, against hash: PasswordHash?, mayEnter: Bool, for caller: HashingCaller
    ) async throws -> Bool {
        let standIns = standIns.withLock { $0 }
        return try await pool.run(for: caller, isKnown: isKnown(caller)) {
            let checked = hash ?? standIns[0]
            let matches = checked.verify(password)
            // Only a success may return early. A disabled person with the correct password is refused as slowly as
            // others.
            if matches, hash != nil, mayEnter { return true }
            let kind = checked.parameters
            for standIn in standIns where standIn.parameters != kind { _ = standIn.verify(password) }
            return matches && hash != nil
        }
    }

    /// Whether `hash` was made with other parameters than new hashes.
    func isOutdated(_ hash: PasswordHash) -> Bool {
        hash.needsRehash(for: parameters)
    }

    /// Rejects the waiting hashes and ends the threads.
    package func stop() {
        pool.stop()
    }
}

extension Argon2idParameters {
    /// The approximate cost of a hash: memory in KiB times iterations.
    fileprivate var work: Int {
        memoryKiB.multipliedReportingOverflow(by: iterations).overflow ? .max : memoryKiB * iterations
    }
}
