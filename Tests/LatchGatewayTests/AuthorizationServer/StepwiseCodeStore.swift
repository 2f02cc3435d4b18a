import Crypto
import FoundationEssentials
import Synchronization

@testable import SignInBridge

/// A store of codes that does something between two steps of a request.
final class StepwiseCodeStore: CodeStore {
    /// The steps before which something may happen.
    enum Step: Sendable {
        /// A code was found.
        case found
        /// A code is to be consumed.
        case consuming
        /// A code was consumed.
        case consumed
    }

    private let store = Mutex<(any CodeStore)?>(nil)
    private let action = Mutex<(step: Step, run: @Sendable () async throws -> Void)?>(nil)

    /// Sets the store that holds the codes.
    func use(_ other: any CodeStore) { store.withLock { $0 = other } }

    /// Runs something once, at the first time that a step is reached.
    func once(_ step: Step, _ run: @escaping @Sendable () async throws -> Void) {
        action.withLock { $0 = (step, run) }
    }

    private func reach(_ step: Step) async throws {
        let run = action.withLock { action -> (@Sendable () async throws -> Void)? in
            guard let due = action, due.step == step else { return nil }
            action = nil
            return due.run
        }
        try await run?()
    }

    private var current: any CodeStore { store.withLock { $0 } ?? MemoryCodeStore() }

    func save(_ record: [UInt8], under key: SHA256Digest, for lifetime: Duration, of owner: CodeOwner?) async throws {
        try await current.save(record, under: key, for: lifetime, of: owner)
    }

    func find(_ key: SHA256Digest) async throws -> [UInt8]? {
        let found = try await current.find(key)
        try await reach(.found)
        return found
    }

    func consume(_ key: SHA256Digest) async throws -> [UInt8]? {
        try await reach(.consuming)
        let found = try await current.consume(key)
        try await reach(.consumed)
        return found
    }

    func sweep() async { await current.sweep() }
}
