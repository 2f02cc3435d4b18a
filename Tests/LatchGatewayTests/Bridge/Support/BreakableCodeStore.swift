import Crypto
import Synchronization

@testable import SignInBridge

/// A store of codes that can be cut off, as one over the network is.
final class BreakableCodeStore: CodeStore {
    /// A switch.
    final class Switch: Sendable {
        private let value = Atomic(false)

        var isOn: Bool { value.load(ordering: .acquiring) }

        func turn(on isOn: Bool) { value.store(isOn, ordering: .releasing) }
    }

    struct CutOff: Error {}

    let isBroken = Switch()
    private let store = MemoryCodeStore()

    func save(_ record: [UInt8], under key: SHA256Digest, for lifetime: Duration, of owner: CodeOwner?) async throws {
        if isBroken.isOn { throw CutOff() }
        try store.save(record, under: key, for: lifetime, of: owner)
    }

    func find(_ key: SHA256Digest) async throws -> [UInt8]? {
        if isBroken.isOn { throw CutOff() }
        return store.find(key)
    }

    func consume(_ key: SHA256Digest) async throws -> [UInt8]? {
        if isBroken.isOn { throw CutOff() }
        return store.consume(key)
    }

    func sweep() { store.sweep() }
}
